// npm's ssh2 as an SFTP client against a server: argv is port, user, key, an empty local and an empty remote folder.
'use strict';
const assert = require('assert');
const fs = require('fs');
const { promisify } = require('util');
const { Client } = require('ssh2');

const [port, username, key, local, remote] = process.argv.slice(2);

async function use(sftp) {
  const call = (name, ...args) => promisify(sftp[name].bind(sftp))(...args);
  const content = require('crypto').randomBytes(3000001);
  fs.writeFileSync(`${local}/f`, content);
  await call('fastPut', `${local}/f`, `${remote}/f`);
  await call('fastGet', `${remote}/f`, `${local}/g`);
  assert(fs.readFileSync(`${local}/g`).equals(content));
  await call('mkdir', `${remote}/d`);
  await call('rename', `${remote}/f`, `${remote}/d/f`);
  await call('symlink', 'd/f', `${remote}/link`);
  assert.strictEqual(await call('readlink', `${remote}/link`), 'd/f');
  assert.strictEqual((await call('stat', `${remote}/link`)).size, content.length);
  await call('chmod', `${remote}/d/f`, 0o600);
  assert.strictEqual((await call('stat', `${remote}/d/f`)).mode & 0o777, 0o600);
  assert.deepStrictEqual((await call('readdir', remote)).map((e) => e.filename).sort(), ['d', 'link']);
  assert((await call('readFile', `${remote}/d/f`)).equals(content));
  await call('appendFile', `${remote}/d/f`, 'tail');
  assert.strictEqual((await call('stat', `${remote}/d/f`)).size, content.length + 4);
  await assert.rejects(call('stat', `${remote}/absent`), /No such file/);
  await call('unlink', `${remote}/link`);
  console.log('done');
}

const client = new Client();
client
  .on('ready', () => client.sftp(async (error, sftp) => {
    try {
      if (error) throw error;
      await use(sftp);
    } catch (reason) {
      console.error(reason);
      process.exitCode = 1;
    }
    client.end();
  }))
  .on('error', (error) => { console.error(error); process.exitCode = 1; })
  .connect({ host: '127.0.0.1', port: Number(port), username, privateKey: fs.readFileSync(key) });
