#include "forward/terminal_flags.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>

namespace plumb {
namespace {

constexpr uint32_t kDisabled = 255;  // RFC 4254 §8: the character is off

constexpr uint8_t kInputSpeed = 128;  // TTY_OP_ISPEED, TTY_OP_OSPEED: bits per second
constexpr uint8_t kOutputSpeed = 129;

struct Character {
  uint8_t opcode;
  int index;
};

constexpr Character kCharacters[] = {
    {1, VINTR}, {2, VQUIT},  {3, VERASE},    {4, VKILL},    {5, VEOF},    {6, VEOL},   {7, VEOL2},     {8, VSTART},
    {9, VSTOP}, {10, VSUSP}, {12, VREPRINT}, {13, VWERASE}, {14, VLNEXT}, {16, VSWTC}, {18, VDISCARD},
};

struct Flag {
  uint8_t opcode;
  tcflag_t termios::*field;
  tcflag_t bits;
};

constexpr Flag kFlags[] = {
    {30, &termios::c_iflag, IGNPAR}, {31, &termios::c_iflag, PARMRK}, {32, &termios::c_iflag, INPCK},
    {33, &termios::c_iflag, ISTRIP}, {34, &termios::c_iflag, INLCR},  {35, &termios::c_iflag, IGNCR},
    {36, &termios::c_iflag, ICRNL},  {37, &termios::c_iflag, IUCLC},  {38, &termios::c_iflag, IXON},
    {39, &termios::c_iflag, IXANY},  {40, &termios::c_iflag, IXOFF},  {41, &termios::c_iflag, IMAXBEL},
    {42, &termios::c_iflag, IUTF8},  {50, &termios::c_lflag, ISIG},   {51, &termios::c_lflag, ICANON},
    {52, &termios::c_lflag, XCASE},  {53, &termios::c_lflag, ECHO},   {54, &termios::c_lflag, ECHOE},
    {55, &termios::c_lflag, ECHOK},  {56, &termios::c_lflag, ECHONL}, {57, &termios::c_lflag, NOFLSH},
    {58, &termios::c_lflag, TOSTOP}, {59, &termios::c_lflag, IEXTEN}, {60, &termios::c_lflag, ECHOCTL},
    {61, &termios::c_lflag, ECHOKE}, {62, &termios::c_lflag, PENDIN}, {70, &termios::c_oflag, OPOST},
    {71, &termios::c_oflag, OLCUC},  {72, &termios::c_oflag, ONLCR},  {73, &termios::c_oflag, OCRNL},
    {74, &termios::c_oflag, ONOCR},  {75, &termios::c_oflag, ONLRET}, {92, &termios::c_cflag, PARENB},
    {93, &termios::c_cflag, PARODD},
};

struct Size {
  uint8_t opcode;
  tcflag_t bits;
};

constexpr Size kSizes[] = {{90, CS7}, {91, CS8}};

struct Speed {
  uint32_t bits_per_second;
  speed_t code;
};

constexpr Speed kSpeeds[] = {
    {0, B0},         {50, B50},       {75, B75},         {110, B110},       {134, B134},
    {150, B150},     {200, B200},     {300, B300},       {600, B600},       {1200, B1200},
    {1800, B1800},   {2400, B2400},   {4800, B4800},     {9600, B9600},     {19200, B19200},
    {38400, B38400}, {57600, B57600}, {115200, B115200}, {230400, B230400},
};

template <class Table, class Member>
auto find(const Table& table, Member member, uint32_t wanted) {
  const auto found = std::ranges::find(table, wanted, member);
  return found == std::end(table) ? nullptr : &*found;
}

void set_speed(const TerminalMode& mode, termios& settings) {
  const Speed* speed = find(kSpeeds, &Speed::bits_per_second, mode.value);
  if (speed == nullptr) return;
  if (mode.opcode == kInputSpeed)
    cfsetispeed(&settings, speed->code);
  else
    cfsetospeed(&settings, speed->code);
}

}  // namespace

void apply_terminal_mode(const TerminalMode& mode, termios& settings) {
  if (mode.opcode == kInputSpeed || mode.opcode == kOutputSpeed) return set_speed(mode, settings);
  if (const Character* character = find(kCharacters, &Character::opcode, mode.opcode)) {
    settings.c_cc[character->index] = mode.value == kDisabled ? _POSIX_VDISABLE : static_cast<cc_t>(mode.value);
    return;
  }
  if (const Size* size = find(kSizes, &Size::opcode, mode.opcode)) {
    if (mode.value != 0) settings.c_cflag = (settings.c_cflag & ~static_cast<tcflag_t>(CSIZE)) | size->bits;
    return;
  }
  const Flag* flag = find(kFlags, &Flag::opcode, mode.opcode);
  if (flag == nullptr) return;
  if (mode.value != 0)
    settings.*flag->field |= flag->bits;
  else
    settings.*flag->field &= ~flag->bits;
}

}  // namespace plumb
