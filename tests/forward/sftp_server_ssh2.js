// npm's ssh2 as an SFTP server for one user and the files of the system: argv is user, host key, public key of the user.
// Its port is the first line that it says.
'use strict';
const fs = require('fs');
const { Server, utils } = require('ssh2');
const { OPEN_MODE, STATUS_CODE } = utils.sftp;

const [user, hostKey, userKey] = process.argv.slice(2);
const allowed = utils.parseKey(fs.readFileSync(userKey));

function authenticate(context) {
  const known = context.method === 'publickey' && context.username === user && context.key.algo === allowed.type &&
    allowed.getPublicSSH().equals(context.key.data);
  if (!known) return context.reject(['publickey']);
  if (context.signature && allowed.verify(context.blob, context.signature, context.hashAlgo) !== true)
    return context.reject(['publickey']);
  context.accept();
}

const attrsOf = (s) => ({ mode: s.mode, uid: s.uid, gid: s.gid, size: s.size, atime: Math.floor(s.atimeMs / 1000),
                          mtime: Math.floor(s.mtimeMs / 1000) });

function systemFlags(flags) {
  const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_EXCL } = fs.constants;
  const has = (flag) => (flags & OPEN_MODE[flag]) !== 0;
  return (has('WRITE') ? has('READ') ? O_RDWR : O_WRONLY : O_RDONLY) | (has('CREAT') ? O_CREAT : 0) |
    (has('TRUNC') ? O_TRUNC : 0) | (has('EXCL') ? O_EXCL : 0);
}

function setAttrs(target, attrs) {  // a path or a descriptor
  const on = typeof target === 'number' ? 'f' : '';
  const truncate = on ? fs.ftruncateSync : fs.truncateSync;
  if (attrs.size !== undefined) truncate(target, attrs.size);
  if (attrs.mode !== undefined) fs[`${on}chmodSync`](target, attrs.mode & 0o7777);
  if (attrs.uid !== undefined) fs[`${on}chownSync`](target, attrs.uid, attrs.gid);
  if (attrs.mtime !== undefined) fs[`${on}utimesSync`](target, attrs.atime, attrs.mtime);
}

function serve(sftp) {
  const open = new Map();  // number: {fd} of a file, {path, names} of a folder
  let last = 0;
  const give = (id, what) => {
    open.set(++last, what);
    const handle = Buffer.alloc(4);
    handle.writeUInt32BE(last);
    sftp.handle(id, handle);
  };
  const named = (handle) => open.get(handle.readUInt32BE(0));
  const name = (id, filename) => sftp.name(id, [{ filename, longname: filename, attrs: {} }]);
  const code = (error) => ({ ENOENT: STATUS_CODE.NO_SUCH_FILE, EACCES: STATUS_CODE.PERMISSION_DENIED }[error.code] ||
                           STATUS_CODE.FAILURE);

  /// What `answer` does not answer itself succeeded.
  const on = (request, answer) => sftp.on(request, (id, ...args) => {
    try {
      if (answer(id, ...args) !== true) sftp.status(id, STATUS_CODE.OK);
    } catch (error) {
      sftp.status(id, code(error), error.message);
    }
  });
  const tell = (request, answer) => on(request, (id, ...args) => { answer(id, ...args); return true; });

  tell('OPEN', (id, path, flags, attrs) => {
    give(id, { fd: fs.openSync(path, systemFlags(flags), attrs.mode === undefined ? 0o666 : attrs.mode) });
  });
  tell('READ', (id, handle, offset, length) => {
    const bytes = Buffer.alloc(length);
    const n = fs.readSync(named(handle).fd, bytes, 0, length, offset);
    if (n === 0) return sftp.status(id, STATUS_CODE.EOF);
    sftp.data(id, bytes.subarray(0, n));
  });
  on('WRITE', (id, handle, offset, data) => { fs.writeSync(named(handle).fd, data, 0, data.length, offset); });
  on('CLOSE', (id, handle) => {
    if (named(handle).fd !== undefined) fs.closeSync(named(handle).fd);
    open.delete(handle.readUInt32BE(0));
  });
  tell('STAT', (id, path) => sftp.attrs(id, attrsOf(fs.statSync(path))));
  tell('LSTAT', (id, path) => sftp.attrs(id, attrsOf(fs.lstatSync(path))));
  tell('FSTAT', (id, handle) => sftp.attrs(id, attrsOf(fs.fstatSync(named(handle).fd))));
  on('SETSTAT', (id, path, attrs) => setAttrs(path, attrs));
  on('FSETSTAT', (id, handle, attrs) => setAttrs(named(handle).fd, attrs));
  tell('OPENDIR', (id, path) => give(id, { path, names: ['.', '..', ...fs.readdirSync(path)] }));
  tell('READDIR', (id, handle) => {
    const folder = named(handle);
    const names = folder.names.splice(0, 20);
    if (names.length === 0) return sftp.status(id, STATUS_CODE.EOF);
    sftp.name(id, names.map((filename) => (
      { filename, longname: filename, attrs: attrsOf(fs.lstatSync(`${folder.path}/${filename}`)) })));
  });
  on('REMOVE', (id, path) => fs.unlinkSync(path));
  on('MKDIR', (id, path, attrs) => { fs.mkdirSync(path, attrs.mode === undefined ? 0o777 : attrs.mode & 0o7777); });
  on('RMDIR', (id, path) => fs.rmdirSync(path));
  on('RENAME', (id, from, to) => fs.renameSync(from, to));
  on('SYMLINK', (id, link, target) => fs.symlinkSync(target, link));
  tell('READLINK', (id, path) => name(id, fs.readlinkSync(path)));
  tell('REALPATH', (id, path) => name(id, fs.realpathSync(path)));
}

new Server({ hostKeys: [fs.readFileSync(hostKey)] }, (client) => {
  client.on('authentication', authenticate);
  client.on('session', (accept) => accept().on('sftp', (acceptSftp) => serve(acceptSftp())));
  client.on('error', (error) => console.error(error.message));
}).listen(0, '127.0.0.1', function () { console.log(this.address().port); });
