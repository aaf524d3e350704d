// What is added to the connection a user names: limits after which a dead network is noticed.
// libpq's defaults would let the loop wait a quarter of an hour for a peer that is gone. Pure.
#pragma once

#include <string>

namespace dt::master {

// Of "postgresql://…" or "host=… dbname=…"; what the user says himself goes first.
std::string with_network_limits(const std::string& connection);

}  // namespace dt::master
