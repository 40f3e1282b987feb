// The small file commands and batches of them, against a real sshd and its SFTP server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/forward/file_session.h"

namespace plumb {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class FileCommands : public testing::FileSuite<FileCommands> {};

TEST_F(FileCommands, DoWhatTheirNamesSay) {
  const ProgramResult result = bash(R"sh(
    set -e
    p mkdir $AT/there/d; echo 12345 > there/f; p mv $AT/there/f $AT/there/d/g; p chmod 640 $AT/there/d/g
    p ln -s g $AT/there/d/l; p ln $AT/there/d/g $AT/there/d/h
    p ls $AT/there/d; stat -c '%a %h' there/d/g; readlink there/d/l
    p stat $AT/there/d/g | grep -o 'size 6 mode 100640'
    p df $AT/there | wc -l; p df -h $AT/there | wc -l
    p rm "$AT/there/d/[gl]"; p rm $AT/there/d/h; p rmdir $AT/there/d; ls there)sh");
  EXPECT_EQ(result.output, "g\nh\nl\n640 2\ng\nsize 6 mode 100640\n2\n2\n") << result.error;
  EXPECT_EQ(result.exit_code, 0);
}

TEST_F(FileCommands, ListingsAreAsTheServerWordsThem) {
  const ProgramResult result = bash(R"sh(
    printf x > there/.dot; printf xy > there/seen; printf xyz > $'there/bell\a\e[31m'
    p ls $AT/there; p ls -a $AT/there | head -3; p ls -l $AT/there | tail -1; p ls -l $AT/there/seen; p ls $AT/none)sh");
  EXPECT_THAT(result.output, HasSubstr("bell[31m\nseen\n.\n..\n.dot\n"));
  EXPECT_THAT(result.output, ContainsRegex("-rw.* 2 .* seen\n-rw.* 2 .* seen\n"));
  EXPECT_THAT(result.error, HasSubstr("none: No such file"));
  EXPECT_EQ(result.exit_code, 1);
}

TEST_F(FileCommands, BatchGoesOnBehindADashAndEndsAtAFailure) {
  const ProgramResult result = bash(R"sh(cat > lines <<END
# a comment

cd $PWD/there
@mkdir "with space"
-rmdir none
lcd there
put '../known_hosts' 'with space/k'
rename "with space/k" moved
pwd
ls
rm none
mkdir never
END
batch -b lines; echo $?; batch < /dev/null; echo $?; p ls $AT/there)sh");
  EXPECT_THAT(result.output, HasSubstr("sftp> -rmdir none\n"));
  EXPECT_THAT(result.output, ::testing::Not(HasSubstr("sftp> @mkdir")));
  EXPECT_THAT(result.output,
              HasSubstr("/there\nsftp> ls\nmoved\nwith space\nsftp> rm none\n1\n0\nmoved\nwith space\n"));
  EXPECT_THAT(result.error, HasSubstr("plumb: line 5: "));
  EXPECT_THAT(result.error, HasSubstr("plumb: line 11: "));
}

TEST_F(FileCommands, BatchNamesWhatItDoesNotKnow) {
  EXPECT_THAT(bash("echo frob | batch").error, HasSubstr("line 1: there is no command 'frob'"));
  EXPECT_THAT(bash("echo 'get -z x' | batch").error, HasSubstr("get has no option -z"));
  EXPECT_THAT(bash("echo 'get \"x' | batch").error, HasSubstr("a quote is left open"));
  EXPECT_THAT(bash("echo 'mv x' | batch").error, HasSubstr("mv takes OLD NEW"));
}

}  // namespace
}  // namespace plumb
