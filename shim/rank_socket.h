// The socket that the ranks of this node connect to (DESIGN §6): checks the peer (a descendant of
// this process), its token and rank, answers what is wrong, and hands on what is right. A newer
// connection of a rank replaces the older. A checkpoint's files are made durable in a thread before
// the message is handed on; later messages of that rank wait for it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/agent/shim.h"
#include "shim/connection.h"
#include "shim/rank_message.h"
#include "shim/worker.h"

namespace dt::shim {

class RankSocket {
 public:
  struct Rules {
    std::set<int> ranks;
    std::string token;
    std::vector<std::string> features;
    std::string checkpoint_dir;
  };
  struct Events {
    std::function<std::int64_t(int rank)> last_seq;  // for welcome
    std::function<void(core::shim::RankConnected)> connected;
    std::function<void(core::shim::RankSaid)> said;
    std::function<void(int rank)> idle;  // a checkpoint of it is done with
  };

  RankSocket(EventLoop& loop, Fd listener, Rules rules, Events events);
  ~RankSocket();

  void send(int rank, const Value& message);  // nothing if it is not connected
  void set_reading(bool reading);
  // The rank is gone: takes what it sent. False: a checkpoint of it is still being secured.
  bool drain(int rank);
  void drop(int rank);  // no further word of it

 private:
  using ClientId = std::int64_t;
  struct Client {
    std::unique_ptr<Connection> connection;
    int rank = -1;  // before its hello
  };

  void accept_waiting();
  void handle(ClientId id, std::string_view line);
  void greet(ClientId id, const Hello& hello);
  void take(ClientId id, Message message);
  void secure(ClientId id, Message message);
  void secured(ClientId id, Message message, const Status& result);
  void refuse(ClientId id, const Refusal& refusal);
  void refuse_and_close(ClientId id, const char* code, const std::string& text);
  Client* client_of(int rank);

  EventLoop& loop_;
  Fd listener_;
  Rules rules_;
  Events events_;
  std::map<ClientId, Client> clients_;
  ClientId next_client_ = 1;
  bool reading_ = true;
  Worker worker_;  // last: its jobs use the members above
};

}  // namespace dt::shim
