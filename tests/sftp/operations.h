// Every operation and extension, asked by our client of a server that is to behave as OpenSSH's, below an empty folder.
#pragma once

#include <string>

#include "tests/sftp/test_session.h"

namespace plumb::sftp::testing {

void check_operations(TestSession& session, const std::string& folder);
void check_extensions(TestSession& session, const std::string& folder);
void check_refusals(TestSession& session, const std::string& folder);

/// Gets and puts of many sizes, with resuming.
void check_transfers(TestSession& session, const std::string& folder);

}  // namespace plumb::sftp::testing
