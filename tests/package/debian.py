# SPDX-License-Identifier: MIT
"""A fresh Debian in a folder, to install in and to run programs in. Only root can make one."""
import shutil
import subprocess
import tempfile
from pathlib import Path

from harness.suite import ROOT, run

# Mounts that end with the process: nothing of the machine's is mounted, no device of it is seen.
ENTER = """mount --make-rprivate / && mount -t proc proc "$0/proc" && mount -t tmpfs tmpfs "$0/dev/shm" &&
exec chroot "$0" "$@" """
USER = ['setpriv', '--reuid=1000', '--regid=1000', '--clear-groups', '--']
# What installing changes and removing does not take back: what apt and dpkg remember, logs, what users' programs keep.
REMEMBERED = ['/proc', '/dev', '/home', '/tmp', '/root', '/var/cache', '/var/log', '/var/lib/apt', '/var/lib/dpkg']


class Unavailable(Exception):
   """There is no such Debian: without a network, or without root's rights."""


def mirror():
   """The address that this machine's apt takes Debian from."""
   outcome = run(['sh', '-c', f'root={ROOT}; cd {ROOT}; . tools/setup/say.sh; . tools/setup/packages.sh; '
                  '. tools/setup/download.sh; apt_mirror'])
   return outcome.output.strip()


def base(release, cache):
   """The archive of a Debian `release` with what every Debian has: made once."""
   archive = cache / f'{release}.tar'
   if archive.exists():
      return archive
   cache.mkdir(parents=True, exist_ok=True)
   folder, part = Path(tempfile.mkdtemp(prefix='clipfree-debian-')), cache / f'{release}.tar.part'
   made = run(['debootstrap', '--variant=minbase', release, folder, mirror()], timeout_s=900)
   packed = run(['tar', '-C', folder, '-cf', part, '.'], timeout_s=300) if made.ok else made
   remove(folder)
   if not packed.ok:
      raise Unavailable(f'debootstrap {release}: {packed.why()}')
   return part.rename(archive)


def remove(folder):
   """Removes a folder, but nothing that is mounted in it."""
   subprocess.run(['rm', '-rf', '--one-file-system', folder], check=True)


class Debian:
   """A Debian `release` in a folder of its own, which goes at the end of a `with`."""

   def __init__(self, release, cache):
      self.release, self.archive = release, base(release, cache)

   def __enter__(self):
      self.folder = Path(tempfile.mkdtemp(prefix='clipfree-debian-'))
      unpacked = run(['tar', '-C', self.folder, '-xpf', self.archive], timeout_s=300)
      if not unpacked.ok:
         remove(self.folder)
         raise Unavailable(f'{self.archive}: {unpacked.why()}')
      self.folder.chmod(0o755)
      # installing starts no services
      (self.folder / 'usr' / 'sbin' / 'policy-rc.d').write_text('#!/bin/sh\nexit 101\n')
      (self.folder / 'usr' / 'sbin' / 'policy-rc.d').chmod(0o755)
      shutil.copy('/etc/resolv.conf', self.folder / 'etc' / 'resolv.conf')
      self.home = self.folder / 'home' / 'player'
      self.home.mkdir()
      shutil.chown(self.home, 1000, 1000)
      return self

   def __exit__(self, *unused):
      remove(self.folder)

   def put(self, path):
      """Copies a file to the user's home."""
      shutil.copy(path, self.home / Path(path).name)
      shutil.chown(self.home / Path(path).name, 1000, 1000)

   def root(self, *command, timeout_s=900):
      """Runs a command as root."""
      enter = ['unshare', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', ENTER, self.folder]
      variables = ['env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/home/player', 'LANG=C.UTF-8',
                   'DEBIAN_FRONTEND=noninteractive']
      return run([*enter, *variables, *command], timeout_s=timeout_s)

   def user(self, script, timeout_s=300):
      """Runs a shell's script as a user, at home."""
      return self.root(*USER, 'sh', '-c', f'cd; {script}', timeout_s=timeout_s)

   def install(self, *packages):
      """Through apt: names, or files in the user's home."""
      packages = [f'/home/player/{name}' if name.endswith('.deb') else name for name in packages]
      updated = self.root('sh', '-c', 'ls /var/lib/apt/lists/*Packages* >/dev/null 2>&1 || apt-get -q update')
      command = ['apt-get', '-q', '-y', 'install', '--no-install-recommends', *packages]
      return self.root(*command) if updated.ok else updated

   def files(self):
      """{path: hash, or what it is and where it leads} of all files and folders but for what is remembered."""
      leave_out = ' -o '.join(f'-path {path}' for path in REMEMBERED)
      found = self.root('sh', '-c', f'find / -xdev \\( {leave_out} \\) -prune -o '
                        '\\( -type f -exec sha256sum {} + -o -printf "%y %l  %p\\n" \\)')
      lines = found.output.splitlines() if found.ok else [f'find failed:  {found.why()}']
      return {path: what for what, path in (line.split('  ', 1) for line in lines)}
