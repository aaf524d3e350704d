#include <cstdio>
#include <cstring>

#include "shim/shim_program.h"

int main(int argc, char** argv) {
  const bool asks_for_help = argc == 2 && std::strcmp(argv[1], "--help") == 0;
  if (argc != 2 || asks_for_help) {
    std::fprintf(asks_for_help ? stdout : stderr,
                 "usage: dt-shim DIR\n\n"
                 "Keeps one allocation on this node: runs its ranks, spools what they say, ends\n"
                 "them when told, when their lease ends, or when one of them fails. dt-agent\n"
                 "starts it; DIR holds spec.json. To run ranks without a master: dt-launch.\n");
    return asks_for_help ? 0 : 2;
  }
  return dt::shim::run_shim(argv[1]);
}
