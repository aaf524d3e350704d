#include "master/store/connection_text.h"

#include <gtest/gtest.h>

namespace dt::master {
namespace {

const std::string limits =
    "connect_timeout=10&keepalives_idle=10&keepalives_interval=5&keepalives_count=3&"
    "tcp_user_timeout=25000";

TEST(NetworkLimits, AreAddedToAUri) {
  EXPECT_EQ("postgresql://ada@host/db?" + limits, with_network_limits("postgresql://ada@host/db"));
  EXPECT_EQ("postgres://host?" + limits, with_network_limits("postgres://host?"));
}

TEST(NetworkLimits, GiveWayToTheUsersOwn) {
  EXPECT_EQ("postgresql://host/db?" + limits + "&connect_timeout=3",
            with_network_limits("postgresql://host/db?connect_timeout=3"));
  EXPECT_EQ(
      "connect_timeout=10 keepalives_idle=10 keepalives_interval=5 keepalives_count=3 "
      "tcp_user_timeout=25000 host=h connect_timeout=3",
      with_network_limits("host=h connect_timeout=3"));
}

}  // namespace
}  // namespace dt::master
