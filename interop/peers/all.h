// The peers of the table, one file each.
#pragma once

#include "interop/peer.h"

namespace plumb {

const Peer& openssh_peer();
const Peer& openssh_10_peer();
const Peer& dropbear_peer();
const Peer& tinysshd_peer();
const Peer& putty_peer();

}  // namespace plumb
