// Writes mlkem768.txt. The judge is @noble/post-quantum, an implementation in JavaScript of its own:
//
//   npm install @noble/post-quantum && node generate_mlkem768.mjs > mlkem768.txt
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ml_kem768 } from '@noble/post-quantum/ml-kem.js';

const hex = (bytes) => Buffer.from(bytes).toString('hex');
const sha256 = (bytes) => createHash('sha256').update(bytes).digest();
const expand = (label, size) => new Uint8Array(createHash('shake256', { outputLength: size }).update(label).digest());
const version = JSON.parse(readFileSync('node_modules/@noble/post-quantum/package.json')).version;

console.log(`# source: @noble/post-quantum ${version}, by generate_mlkem768.mjs. Keys and ciphertexts by their SHA-256.`);
console.log('# REJECTED is the secret of the ciphertext with the last bit of its first byte changed.');
for (let i = 0; i < 8; i++) {
  const seed = expand(`seed ${i}`, 64);
  const message = expand(`message ${i}`, 32);
  const { publicKey, secretKey } = ml_kem768.keygen(seed);
  const { cipherText, sharedSecret } = ml_kem768.encapsulate(publicKey, message);
  const damaged = cipherText.slice();
  damaged[0] ^= 1;
  console.log(`
SEED = ${hex(seed)}
MESSAGE = ${hex(message)}
PUBLIC_SHA256 = ${hex(sha256(publicKey))}
CIPHERTEXT_SHA256 = ${hex(sha256(cipherText))}
SECRET = ${hex(sharedSecret)}
REJECTED = ${hex(ml_kem768.decapsulate(damaged, secretKey))}`);
}
