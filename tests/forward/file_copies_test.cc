// `plumb get` and `plumb put` against a real sshd and its SFTP server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/forward/file_session.h"

namespace plumb {
namespace {

using ::testing::HasSubstr;

class FileCopies : public testing::FileSuite<FileCopies> {};

TEST_F(FileCopies, C68FilesOfAllSizesGoThereAndBack) {
  const ProgramResult result = bash(R"sh(
    for n in 0 1 4096 32768 32769 261120 261121 1000000 20000000; do noise $n here/$n; done
    p put here/* $AT/there || exit 1
    mkdir back
    p get "$AT/there/*" back || exit 2
    cd here; for f in *; do cmp $f ../there/$f && cmp $f ../back/$f || exit 3; done)sh");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.output, "");
}

TEST_F(FileCopies, TreesKeepModesAndTimes) {
  const ProgramResult result = bash(R"sh(
    cd here; mkdir -p tree/a/b/c tree/empty "tree/with space"
    for i in $(seq 50); do noise $((i * 37)) tree/a/b/$i; done
    noise 100000 tree/a/big; noise 5 "tree/with space/*?[quoted]"; touch tree/a/nothing
    chmod 750 tree/a; chmod 4711 tree/a/big; chmod 400 tree/a/b/7; chmod 555 tree/empty
    find tree -depth -exec touch -h -d '2001-02-03 04:05:06' {} +
    p put -rp tree $AT/there || exit 1
    p get -rp $AT/there/tree back || exit 2
    tree tree > ../1; tree ../there/tree > ../2; tree back > ../3
    diff ../1 ../2 && diff ../1 ../3)sh");
  EXPECT_EQ(result.exit_code, 0) << result.output << result.error;
  EXPECT_EQ(result.output, "");
}

TEST_F(FileCopies, ModesWithoutAskingAreThoseOfTheSourceUnderUmask) {
  const ProgramResult result = bash(R"sh(
    umask 027; noise 10 here/f; chmod 777 here/f; p put here/f $AT/there/g; p get $AT/there/g here/h
    stat -c %a there/g here/h)sh");
  EXPECT_EQ(result.output, "755\n750\n") << result.error;
}

TEST_F(FileCopies, LinksInFoldersArePassedOverAndNamedOnesFollowed) {
  const ProgramResult result = bash(R"sh(
    mkdir there/d; noise 10 there/d/f; ln -s f there/d/l; ln -s / there/d/out; mkfifo there/d/p
    p get -r $AT/there/d here && p get $AT/there/d/l here/l && find here -printf '%y %P\n' | sort)sh");
  EXPECT_EQ(result.output, "d \nd d\nf d/f\nf l\n");
  EXPECT_THAT(result.error, HasSubstr("there/d/l: a symbolic link, passed over"));
  EXPECT_THAT(result.error, HasSubstr("there/d/p: no regular file, passed over"));
  EXPECT_EQ(result.exit_code, 0);
}

TEST_F(FileCopies, ResumesBothWays) {
  const ProgramResult result = bash(R"sh(
    noise 3000000 here/f; head -c 1234567 here/f > there/f
    p put --resume here/f $AT/there && cmp here/f there/f || exit 1
    head -c 2000001 here/f > here/g; p get --resume $AT/there/f here/g && cmp here/f here/g || exit 2
    p get --resume $AT/there/f here/g && cmp here/f here/g || exit 3
    p get --resume $AT/there/f here/new && cmp here/f here/new || exit 4
    echo x >> here/g; p get --resume $AT/there/f here/g)sh");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.error, HasSubstr("the local file is longer than the remote one, so it is no part of it"));
}

TEST_F(FileCopies, WhatIsInAFolderGoesIntoAnother) {
  const ProgramResult result = bash(R"sh(
    mkdir here/a there/b; echo 1 > here/a/1; echo 2 > there/b/2
    p put -r here/a $AT/there/new && p put -r here/a/. $AT/there/new && p get -r $AT/there/b/. here/a &&
      (cd here/a && p put -r . $AT/there/b)
    find here there -type f | sort)sh");
  EXPECT_EQ(result.output, "here/a/1\nhere/a/2\nthere/b/1\nthere/b/2\nthere/new/1\n") << result.error;
}

TEST_F(FileCopies, WhatCannotBeReadCostsNothingHere) {
  const ProgramResult result = bash(R"sh(
    echo keep > here/f
    p get $AT/there/none here/f; echo $?
    p get $AT/there here; echo $?
    p put here/none $AT/there; echo $?
    cat here/f)sh");
  EXPECT_EQ(result.output, "1\n1\n1\nkeep\n");
  EXPECT_THAT(result.error, HasSubstr("there/none: No such file"));
  EXPECT_THAT(result.error, HasSubstr("there: it is a folder; -r copies it with all that is in it"));
  EXPECT_THAT(result.error, HasSubstr("here/none: "));
  EXPECT_EQ(std::ranges::count(result.error, '\n'), 6) << result.error;
}

TEST_F(FileCopies, OneThatFailsDoesNotKeepTheOthers) {
  const ProgramResult result = bash(R"sh(
    mkdir there/d there/d/e; for i in 1 2 3; do noise $i there/d/$i; noise $i there/d/e/$i; done
    mkdir -p here/d/2   # in the way
    p get -r $AT/there/d here; echo $?; cd here; find . -type f | sort)sh");
  EXPECT_EQ(result.output, "1\n./d/1\n./d/3\n./d/e/1\n./d/e/2\n./d/e/3\n");
  EXPECT_THAT(result.error, HasSubstr("there/d/2: the file cannot be opened: Is a directory"));
  EXPECT_THAT(result.error, HasSubstr("1 could not be copied"));
}

TEST_F(FileCopies, CutLinkLeavesWhatResumeCompletes) {
  const ProgramResult result = bash(R"sh(
    noise 40000000 there/f
    )sh" + std::string(PLUMB_PROGRAM) +
                                    R"sh( relay --rate 40mbit 127.0.0.1:$P 2>said & relay=$!
    until grep -q listening said; do sleep 0.05; done
    direct=$P; P=$(grep -o '[0-9]*$' said); O="${O/known_hosts/relayed_hosts} -o StrictHostKeyChecking=accept-new"
    p get $AT/there/f here & copy=$!
    until test $(stat -c %s here/f 2>/dev/null || echo 0) -gt 1000000; do sleep 0.05; done
    kill -9 $relay; wait $copy; echo $?
    P=$direct; O=${O/relayed_hosts/known_hosts}; size=$(stat -c %s here/f)
    cmp -n $size here/f there/f && test $size -lt 40000000 && echo part
    p get --resume $AT/there/f here && cmp here/f there/f && echo whole)sh");
  EXPECT_EQ(result.output, "255\npart\nwhole\n") << result.error;
  EXPECT_THAT(result.error, HasSubstr("bytes are here, and --resume goes on behind them"));
  EXPECT_THAT(result.error, HasSubstr("the server closed the connection"));
}

TEST_F(FileCopies, InterruptionKeepsWhatIsThereToo) {
  const ProgramResult result = bash(R"sh(
    truncate -s 2G there/f
    p get $AT/there/f here & copy=$!
    until test $(stat -c %s here/f 2>/dev/null || echo 0) -gt 100000; do sleep 0.01; done
    pkill -TERM -P $copy || kill -TERM $copy; wait $copy; echo $?
    size=$(stat -c %s here/f); cmp -n $size here/f there/f && echo part)sh");
  EXPECT_EQ(result.output, "255\npart\n") << result.error;
  EXPECT_THAT(result.error, HasSubstr("plumb: interrupted"));
}

TEST_F(FileCopies, FullDiskIsSaidAndResumed) {
  const ProgramResult result = bash(R"sh(
    noise 3000000 there/f
    (ulimit -f 1000; p get $AT/there/f here); echo $?   # KiB
    stat -c 'its first %s bytes are here' here/f; test $(stat -c %s here/f) -gt 900000 || echo too few
    p get --resume $AT/there/f here && cmp here/f there/f && echo whole)sh");
  EXPECT_THAT(result.output, ::testing::MatchesRegex("1\nits first [0-9]* bytes are here\nwhole\n")) << result.error;
  const size_t end = result.output.find("\nwhole");
  ASSERT_NE(end, std::string::npos);
  EXPECT_THAT(result.error, HasSubstr("File too large; " + result.output.substr(2, end - 2)));
}

TEST_F(FileCopies, ShowsNoProgressInPipes) {
  const ProgramResult result = bash("noise 20000000 there/f; p get $AT/there/f here 2>&1 | od -c");
  EXPECT_EQ(result.output, "0000000\n");
}

TEST_F(FileCopies, WrongCommandLinesAreNamed) {
  EXPECT_EQ(bash("p get a b").exit_code, 2);
  EXPECT_THAT(bash("p get a b").error, HasSubstr("no word says which host"));
  EXPECT_THAT(bash("p get x@h:a y@h:b c").error, HasSubstr("two hosts"));
  EXPECT_THAT(bash("p put").error, HasSubstr("put takes LOCAL... PATH"));
}

}  // namespace
}  // namespace plumb
