// The file commands of `plumb` against SFTP servers of others: OpenSSH's behind Dropbear too, asyncssh's,
// npm's ssh2's, ours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interop/peer.h"
#include "tests/forward/file_session.h"

namespace plumb {
namespace {

/// A tree there and back, resumed copies, a listing, the small commands; `O` and `P` say how to get there.
constexpr const char* kRound = R"sh(
  rm -rf here there back; mkdir -p here/tree/sub/deep there
  noise 3000000 here/tree/big; for i in $(seq 30); do head -c $((i * 997)) here/tree/big > here/tree/sub/$i; done
  chmod 640 here/tree/big; chmod 750 here/tree/sub
  find here/tree -depth -exec touch -h -d '2001-02-03 04:05:06' {} +
  p put -rp here/tree $AT/there || exit 11
  p get -rp $AT/there/tree back || exit 12
  tree here/tree > 1; tree there/tree > 2; tree back > 3; diff 1 2 && diff 1 3 || exit 13
  head -c 1000000 here/tree/big > there/part; p put -a here/tree/big $AT/there/part || exit 14
  head -c 2000000 here/tree/big > here/part; p get -a $AT/there/part here || exit 15
  cmp here/tree/big there/part && cmp here/tree/big here/part || exit 16
  test "$(p ls $AT/there/tree/sub | wc -l)" = 31 || exit 17
  batch > said <<END || exit 18
cd $PWD/there
mkdir d
mv part d/x
chmod 600 d/x
ln -s x d/l
END
  test "$(stat -c %a there/d/x) $(readlink there/d/l)" = '600 x' || exit 19
  printf '%s\n' "rm $PWD/there/d/*" "rmdir $PWD/there/d" | batch > said || exit 20
  p get $AT/there/none here; test $? = 1 || exit 21)sh";

class FilePeers : public testing::FileSuite<FilePeers> {};

void expect_round(const ProgramResult& result) {
  EXPECT_EQ(result.exit_code, 0) << result.output << result.error;
  EXPECT_THAT(result.error, ::testing::HasSubstr("none: "));
}

TEST_F(FilePeers, OpenSsh) { expect_round(bash(kRound)); }

TEST_F(FilePeers, OpenSshBehindDropbear) {
  const Peer* dropbear = find_peer("dropbear");
  ASSERT_NE(dropbear, nullptr);
  if (const std::string why = dropbear->unavailable(); !why.empty()) GTEST_SKIP() << why;
  const auto server = dropbear->start_server({});
  ASSERT_TRUE(server) << server.error();
  const ProgramResult probe = testing::run_file_script(**server, "test -x /usr/lib/sftp-server");
  if (probe.exit_code != 0) GTEST_SKIP() << "openssh-sftp-server is not installed: tools/peers.sh installs it";
  expect_round(testing::run_file_script(**server, kRound));
}

/// A server of another kind in the place of sshd: `start` begins it in the background and puts its number into $server;
/// it says its port in the file `port` once it listens.
std::string round_with(const std::string& start) {
  return "ssh-keygen -q -t ed25519 -N '' -f other_host <<< y > keygen.log; ssh-keygen -y -f $KEY > other_authorized\n"
         "rm -f port other_hosts; " +
         start + R"sh(
    trap 'kill $server; tail -5 server.log >&2' EXIT
    until test -s port; do kill -0 $server || exit 78; sleep 0.05; done
    P=$(cat port); O="${O/known_hosts/other_hosts} -o StrictHostKeyChecking=accept-new")sh" +
         kRound;
}

TEST_F(FilePeers, PlumbServe) {
  expect_round(
      bash(round_with(PLUMB_PROGRAM R"sh( serve --port 0 --host-key other_host --authorized-keys other_authorized \
      2> server.log & server=$!
    until grep -q 'listening on' server.log; do kill -0 $server || exit 78; sleep 0.05; done
    sed -n 's/.*listening on .*:\([0-9]*\).*/\1/p' server.log > port)sh")));
}

TEST_F(FilePeers, NpmSsh2) {
  const ProgramResult result = bash(R"sh(
    command -v node > node.log || exit 77
    export NODE_PATH=${PLUMB_NPM:-${XDG_CACHE_HOME:-$HOME/.cache}/plumbline/npm}/node_modules
    test -d $NODE_PATH/ssh2 || exit 77
    )sh" + round_with("node " PLUMB_TEST_FOLDER "/sftp_server_ssh2.js $(id -un) other_host other_authorized > port "
                      "2> server.log & server=$!"));
  if (result.exit_code == 77) GTEST_SKIP() << "npm's ssh2 is not there: tools/peers.sh --npm brings it";
  expect_round(result);
}

TEST_F(FilePeers, Asyncssh) {
  const ProgramResult result =
      bash("/usr/bin/python3 -c 'import asyncssh' 2> import.log || exit 77\n" + round_with(R"sh(
    cat > server.py <<END
import asyncio, asyncssh
async def main():
    server = await asyncssh.listen("127.0.0.1", 0, server_host_keys=["other_host"],
                                   authorized_client_keys="other_authorized", sftp_factory=True)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.sleep(90)
asyncio.run(main())
END
    /usr/bin/python3 server.py > port 2> server.log & server=$!)sh"));
  if (result.exit_code == 77) GTEST_SKIP() << "python3-asyncssh is not installed: tools/peers.sh installs it";
  expect_round(result);
}

}  // namespace
}  // namespace plumb
