// What this node is: its slots, cores, ids and network interface.
#pragma once

#include <string>
#include <vector>

#include "core/agent/messages.h"

namespace dt::agent {

// Cores that this process may use.
int usable_cores();
// CPU shares; as many as cores if `wanted` is 0.
std::vector<core::Slot> detect_slots(int wanted);

// /etc/machine-id and the kernel's boot id; DT_MACHINE_ID and DT_BOOT_ID win (tests use them to
// play several machines and reboots).
std::string machine_id();
std::string boot_id();
std::string host_name();

// The interface that has this address ("lo" of 127.0.0.1); empty if none has.
std::string interface_of(const std::string& address);
// A loopback address, or the name localhost, with or without a port.
bool is_loopback(const std::string& address);

}  // namespace dt::agent
