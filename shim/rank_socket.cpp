#include "shim/rank_socket.h"

#include "base/overload.h"
#include "shim/checkpoint_files.h"
#include "shim/process_tree.h"

namespace dt::shim {
namespace {

Value error_message(const Refusal& refusal) {
  Value error =
      Value::Object{{"type", "error"}, {"code", refusal.code}, {"message", refusal.message}};
  if (refusal.seq > 0) error.set("seq", refusal.seq);
  return error;
}

// Takes as long as any other comparison, so that a rank cannot feel its way along the token.
bool is_equal_secret(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  }
  return difference == 0;
}

}  // namespace

RankSocket::RankSocket(EventLoop& loop, Fd listener, Rules rules, Events events)
    : loop_(loop),
      listener_(std::move(listener)),
      rules_(std::move(rules)),
      events_(std::move(events)),
      worker_(loop) {
  loop_.watch(listener_.get(), [this] { accept_waiting(); });
}

RankSocket::~RankSocket() { loop_.unwatch(listener_.get()); }

void RankSocket::accept_waiting() {
  while (true) {
    Fd fd = accept_from(listener_.get());
    if (!fd.is_open()) return;
    const bool ours = is_descendant(peer_of(fd.get()).pid, ::getpid());
    const ClientId id = next_client_++;
    Client& client = clients_[id];
    client.connection = std::make_unique<Connection>(
        loop_, std::move(fd), [this, id](std::string_view line) { handle(id, line); },
        [this, id] { clients_.erase(id); });
    client.connection->set_reading(reading_);
    if (!ours)
      refuse_and_close(id, "foreign_process", "only processes of this allocation may speak");
  }
}

void RankSocket::handle(ClientId id, std::string_view line) {
  RankLine parsed = parse_rank_line(line);
  std::visit(Overload{
                 [&](Hello& hello) { greet(id, hello); },
                 [&](Message& message) { take(id, std::move(message)); },
                 [&](Refusal& refusal) { refuse(id, refusal); },
             },
             parsed);
}

void RankSocket::greet(ClientId id, const Hello& hello) {
  if (hello.protocol != protocol_version) {
    return refuse_and_close(
        id, "unknown_protocol",
        cat("protocol ", hello.protocol, " is unknown, this shim speaks ", protocol_version));
  }
  if (!is_equal_secret(hello.token, rules_.token)) {
    return refuse_and_close(id, "unauthenticated", "the token is not this allocation's");
  }
  if (!rules_.ranks.contains(hello.rank)) {
    return refuse_and_close(id, "unknown_rank", cat("rank ", hello.rank, " is not of this node"));
  }
  if (Client* older = client_of(hello.rank); older && older != &clients_.at(id)) {
    older->rank = -1;
    older->connection->close();
  }
  Client& client = clients_.at(id);
  client.rank = hello.rank;
  Value::Array features;
  for (const std::string& feature : rules_.features) features.push_back(feature);
  client.connection->send(Value::Object{{"type", "welcome"},
                                        {"protocol", protocol_version},
                                        {"last_seq", events_.last_seq(hello.rank)},
                                        {"features", std::move(features)}});
  events_.connected({hello.rank, hello.body});
}

void RankSocket::take(ClientId id, Message message) {
  const int rank = clients_.at(id).rank;
  if (rank < 0) {
    return refuse(id, {"no_hello", "the first message must be hello", message.seq});
  }
  // A checkpoint that is sent again may have been moved to its store meanwhile.
  const bool is_new = message.seq > events_.last_seq(rank);
  if (is_new && message.kind == core::RecordKind::checkpoint) {
    return secure(id, std::move(message));
  }
  events_.said({rank, message.seq, message.kind, std::move(message.body)});
}

void RankSocket::secure(ClientId id, Message message) {
  clients_.at(id).connection->hold();
  worker_.run([this, id, message = std::move(message), dir = rules_.checkpoint_dir] {
    const Status result = secure_checkpoint(dir, message.body);
    return [this, id, message, result] { secured(id, message, result); };
  });
}

void RankSocket::secured(ClientId id, Message message, const Status& result) {
  const auto found = clients_.find(id);
  if (found == clients_.end() || found->second.rank < 0) return;  // dropped or replaced meanwhile
  const int rank = found->second.rank;
  if (result.ok()) {
    events_.said({rank, message.seq, message.kind, std::move(message.body)});
  } else {
    refuse(id, {"checkpoint_not_stored", result.message(), message.seq});
  }
  found->second.connection->release();
  events_.idle(rank);
}

void RankSocket::refuse(ClientId id, const Refusal& refusal) {
  clients_.at(id).connection->send(error_message(refusal));
}

void RankSocket::refuse_and_close(ClientId id, const char* code, const std::string& text) {
  refuse(id, {code, text});
  clients_.at(id).connection->close();
}

RankSocket::Client* RankSocket::client_of(int rank) {
  for (auto& [id, client] : clients_) {
    if (client.rank == rank) return &client;
  }
  return nullptr;
}

void RankSocket::send(int rank, const Value& message) {
  if (Client* client = client_of(rank)) client->connection->send(message);
}

void RankSocket::set_reading(bool reading) {
  reading_ = reading;
  for (auto& [id, client] : clients_) client.connection->set_reading(reading);
}

bool RankSocket::drain(int rank) {
  accept_waiting();
  for (auto& [id, client] : clients_) {
    if (client.rank == rank || client.rank < 0) client.connection->drain();
  }
  const Client* client = client_of(rank);
  return client == nullptr || !client->connection->is_held();
}

void RankSocket::drop(int rank) {
  if (Client* client = client_of(rank)) {
    client->rank = -1;
    client->connection->close();
  }
}

}  // namespace dt::shim
