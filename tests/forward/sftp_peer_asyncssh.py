"""asyncssh's SFTP client against a server: argv is port, user, key, known_hosts, an empty local and an empty remote folder."""
import asyncio
import os
import sys
import warnings

warnings.simplefilter("ignore")  # of ciphers that are on their way out
import asyncssh


async def main() -> None:
    port, user, key, known_hosts, local, remote = sys.argv[1:]
    async with asyncssh.connect("127.0.0.1", int(port), username=user, client_keys=[key], known_hosts=known_hosts,
                                config=None) as connection:
        async with connection.start_sftp_client() as sftp:
            content = os.urandom(3_000_001)
            with open(local + "/f", "wb") as file:
                file.write(content)
            await sftp.put(local + "/f", remote + "/f", preserve=True)
            await sftp.get(remote + "/f", local + "/g", preserve=True)
            assert open(local + "/g", "rb").read() == content
            await sftp.mkdir(remote + "/d")
            await sftp.rename(remote + "/f", remote + "/d/f")
            await sftp.symlink("d/f", remote + "/link")
            assert await sftp.readlink(remote + "/link") == "d/f"
            assert await sftp.realpath(remote + "/link") == os.path.realpath(remote) + "/d/f"
            assert (await sftp.stat(remote + "/link")).size == len(content)
            await sftp.chmod(remote + "/d/f", 0o600)
            assert (await sftp.stat(remote + "/d/f")).permissions & 0o777 == 0o600
            assert sorted(await sftp.listdir(remote)) == [".", "..", "d", "link"]
            assert (await sftp.statvfs(remote)).bsize > 0
            async with sftp.open(remote + "/d/f", "rb+") as file:
                await file.seek(1000)
                await file.write(b"changed")
                await file.seek(999)
                assert await file.read(9) == content[999:1000] + b"changed" + content[1007:1008]
            try:
                await sftp.stat(remote + "/absent")
                raise AssertionError("a file that is not there was found")
            except asyncssh.SFTPNoSuchFile:
                pass
            await sftp.put(local, remote + "/tree", recurse=True)
            await sftp.rmtree(remote + "/tree")
            await sftp.remove(remote + "/link")
    print("done")


asyncio.run(main())
