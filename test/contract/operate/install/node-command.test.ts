import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../helpers/test-folder.ts';

const script = readFileSync(new URL('../../../../bin/hawser-on-node', import.meta.url), 'utf8');

/** The paths of the programs that the script runs. */
const used = execFileSync('sh', ['-c', 'which sed head sh tr grep'], { encoding: 'utf8' }).trim().split('\n');

type Engine = 'crictl' | 'ctr' | 'podman' | 'docker';

interface Node {
  readonly dir: string;
  /** Runs `hawser …`. `ran` has the calls to the container engines, one line each. */
  readonly type: (...words: readonly string[]) => {
    readonly ran: readonly string[];
    readonly last: string;
    readonly exitCode: number | null;
    readonly stdout: string;
    readonly stderr: string;
  };
}

/** Like crictl 1.24 and newer: exit code 1 for every failure, and with --sync no output of a failing command. */
const CRICTL_EXEC = `
    case "$2" in
    --sync) echo 'level=error msg="execing command in container synchronously: exited with 7: "' >&2; exit 1 ;;
    *) echo output; echo note >&2; echo 'level=error msg="execing command in container x: command terminated with exit code 7"' >&2; exit 1 ;;
    esac`;

/**
 * A node with these container engines, each a program that records how it was called. `running` are the containers that
 * they list, `images` the engines that have the image.
 */
function node(
  engines: readonly Engine[],
  {
    running = [],
    stopped = false,
    images = engines,
    installed = 'registry.example/hawser:1',
    user = 0,
  }: {
    readonly running?: readonly string[];
    /** The containers have exited, but containerd still lists them. */
    readonly stopped?: boolean;
    readonly images?: readonly Engine[];
    readonly installed?: string;
    readonly user?: number;
  } = {},
): Node {
  const dir = testFolder();
  const log = join(dir, 'log');
  const bin = join(dir, 'bin');
  mkdirSync(bin);
  writeFileSync(log, '');
  for (const path of used) symlinkSync(path, join(bin, basename(path)));
  const program = (name: string, body: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  program('id', `echo ${user}`);
  const lists = running.map((name) => `*${name}*) echo id-of-${name} ;;`).join(' ');
  for (const engine of engines) {
    const hasImage = images.includes(engine);
    program(
      engine,
      `echo "${engine} $*" >>'${log}'
case "$1 $2 $3 $4 $5" in
'ps -q '* | '-n k8s.io containers ls -q') case "$*" in ${lists} esac ;;
'-n k8s.io tasks ls '*) echo 'TASK PID STATUS'; ${running.map((name) => `echo 'id-of-${name}    12    ${stopped ? 'STOPPED' : 'RUNNING'}'`).join('; ') || ':'} ;;
'-n k8s.io images '*) [ "$4" != ls ] || ${hasImage ? 'echo listed' : ':'} ;;
'image exists '* | 'image inspect '*) ${hasImage ? ':' : 'exit 1'} ;;
'exec '* | '-n k8s.io tasks exec '*) ${engine === 'crictl' ? CRICTL_EXEC : 'echo output; echo note >&2; exit 7'} ;;
'run '* | '-n k8s.io run '*) exit 7 ;;
esac`,
    );
  }
  const record = join(dir, 'installed.json');
  if (installed !== '')
    writeFileSync(record, `${JSON.stringify({ version: 1, image: installed }, null, 2)}\n`);
  const own = join(dir, 'etc-hawser');
  mkdirSync(own);
  const file = join(dir, 'hawser');
  writeFileSync(
    file,
    script.replace('/etc/hawser/installed.json', record).replace(/^folders=.*$/m, `folders='${own}'`),
  );
  return {
    dir,
    type: (...words) => {
      writeFileSync(log, '');
      const { status, stdout, stderr } = spawnSync('/bin/sh', [file, ...words], {
        env: { PATH: bin },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const ran = readFileSync(log, 'utf8').trim().split('\n');
      return { ran, last: ran.at(-1) ?? '', exitCode: status, stdout, stderr };
    },
  };
}

test.each([
  [['haproxy', 'status', '--json'], 'haproxy'],
  [['haproxy', 'reload'], 'haproxy'],
  [['keepalived', 'status'], 'keepalived'],
  [['keepalived', 'stop'], 'keepalived'],
  [['status', '--watch'], 'keepalived-monitor'],
  [['timeline', '--since', '24h'], 'keepalived-monitor'],
  [['drain', '--reason', 'two words'], 'keepalived-monitor'],
  [['undrain'], 'keepalived-monitor'],
  [['move-vip', '--to', 'cp-2'], 'keepalived-monitor'],
  [['show-config'], 'haproxy-monitor'],
  [['show-config', 'keepalived'], 'keepalived-monitor'],
])(
  '%j runs in container %s with its output and exit code, whatever the container runtime',
  (words, container) => {
    const typed = words.join(' ');
    const call = {
      ctr: `ctr -n k8s.io tasks exec --exec-id hawser-PID id-of-${container} hawser ${typed}`,
      crictl: `crictl exec id-of-${container} hawser ${typed}`,
      podman: `podman exec id-of-${container} hawser ${typed}`,
      docker: `docker exec id-of-${container} hawser ${typed}`,
    };
    for (const engine of ['ctr', 'crictl', 'podman', 'docker'] as const) {
      const { last, ...result } = node([engine], { running: [container] }).type(...words);
      expect(last.replace(/hawser-\d+/, 'hawser-PID')).toBe(call[engine]);
      expect(result).toMatchObject({ exitCode: 7, stdout: 'output\n', stderr: 'note\n' });
    }
  },
);

test('a node with containerd needs no crictl, and exited containers are skipped', () => {
  const both = node(['ctr', 'crictl'], { running: ['haproxy'] }).type('haproxy', 'status');
  expect(both.last).toMatch(/^ctr -n k8s\.io tasks exec /);
  const ended = node(['ctr'], { running: ['haproxy'], stopped: true }).type('haproxy', 'status');
  expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
  expect(ended.stderr).toContain('container "haproxy" is not running (searched with ctr)');
});

test('an error of crictl itself is shown, and the exit code is 1', () => {
  const { dir, type } = node(['crictl'], { running: ['haproxy'] });
  const crictl = join(dir, 'bin', 'crictl');
  writeFileSync(
    crictl,
    `#!/bin/sh
case "$1" in ps) echo id ;; exec) echo 'level=fatal msg="connect: connection refused"' >&2; exit 1 ;; esac`,
  );
  expect(type('haproxy', 'status')).toMatchObject({
    exitCode: 1,
    stderr: 'level=fatal msg="connect: connection refused"\n',
  });
});

test.each([
  ['one argument', '"args": [ "haproxy", "supervise", "--instance=b" ]'],
  ['two arguments', '"args": [\n  "haproxy",\n  "supervise",\n  "--instance",\n  "b"\n]'],
  ['the environment', '"env": [ "HAWSER_INSTANCE=b" ]'],
])('a container started with --instance, as %s, is not used', (_, started) => {
  const { dir, type } = node(['crictl']);
  const crictl = join(dir, 'bin', 'crictl');
  writeFileSync(
    crictl,
    `#!/bin/sh
echo "crictl $*" >>'${join(dir, 'log')}'
case "$*" in
'ps '*) echo id-b; echo id-of-none ;;
'inspect id-b') echo '{ ${started} }' ;;
'inspect id-of-none') echo '{ "name": "k8s_haproxy_haproxy-b-1_kube-system", "args": [ "haproxy", "supervise" ] }' ;;
esac`,
  );
  expect(type('haproxy', 'status').last).toBe('crictl exec id-of-none hawser haproxy status');
});

test.each(['install', 'uninstall', 'doctor', 'support-bundle'])(
  '%s runs from the installed image, with the node at --root',
  (command) => {
    const podman = node(['podman']);
    const { last, exitCode } = podman.type(command, '--dry-run');
    expect(last).toBe(
      `podman run --rm --net=host --cap-add=NET_ADMIN --cap-add=NET_RAW --cap-add=SYS_PTRACE --security-opt=apparmor=unconfined --security-opt=label=disable -v /:/host -v ${podman.dir}/etc-hawser:${podman.dir}/etc-hawser:ro registry.example/hawser:1 ${command} --dry-run --root /host`,
    );
    expect(exitCode).toBe(7);
    const containerd = node(['ctr', 'crictl']);
    expect(containerd.type(command).last).toMatch(
      new RegExp(
        `^ctr -n k8s\\.io run --rm --net-host --cap-add CAP_NET_ADMIN --cap-add CAP_NET_RAW --cap-add CAP_SYS_PTRACE --mount type=bind,src=/,dst=/host,options=rbind:rw --mount \\S+resolv.conf\\S+ --mount type=bind,src=${containerd.dir}/etc-hawser,\\S+ registry\\.example/hawser:1 hawser-\\d+ tini -- hawser ${command} --root /host$`,
      ),
    );
  },
);

test('settings, version and help run from the image, without --root', () => {
  for (const words of [['settings'], ['version'], ['completion'], ['haproxy', 'monitor', '--help']])
    expect(node(['podman']).type(...words).last).toMatch(new RegExp(`hawser:1 ${words.join(' ')}$`));
});

test('an install runs from the image that it installs', () => {
  const { type } = node(['podman']);
  expect(type('install', '--image', 'registry.example/hawser:2', '--yes').last).toContain(
    ' registry.example/hawser:2 install --image registry.example/hawser:2 --yes --root /host',
  );
  expect(type('install', '--image=registry.example/hawser:3').last).toContain(
    ' registry.example/hawser:3 install',
  );
});

test('containerd gets the full name of an image, and pulls a missing image as the kubelet does', () => {
  const { type } = node(['ctr', 'crictl'], { installed: 'hawser:1', images: [] });
  const { ran, last } = type('doctor');
  expect(ran).toContain('crictl pull hawser:1');
  expect(last).toContain(' docker.io/library/hawser:1 hawser-');
  expect(node(['ctr'], { installed: 'team/hawser:1', images: [] }).type('doctor').ran).toContain(
    'ctr -n k8s.io images pull docker.io/team/hawser:1',
  );
});

test('with several container engines the one with the image is used', () => {
  expect(node(['ctr', 'podman', 'docker'], { images: ['docker'] }).type('doctor').last).toMatch(
    /^docker run /,
  );
  expect(node(['podman', 'docker'], { images: [] }).type('doctor').last).toMatch(/^podman run /);
});

test('files on the node that are named on the command line are accessible, even with spaces in the name', () => {
  const { type, dir } = node(['podman'], { running: ['keepalived-monitor'] });
  const file = join(dir, 'new settings.yaml');
  writeFileSync(file, '');
  expect(type('doctor', '--kubeconfig', file).last).toContain(` -v ${file}:${file}:ro `);
  expect(type('settings', `--settings=${file}`).last).toContain(` -v ${file}:${file}:ro `);
  // The pod does not have the file.
  expect(type('timeline', '--journal', file).last).toMatch(/^podman run .*timeline --journal/);
});

test.each(['status', 'timeline'])(
  '%s runs in the monitor of a worker, which has no keepalived',
  (command) => {
    const { ran, last } = node(['crictl'], { running: ['haproxy-monitor'] }).type(command);
    expect(last).toBe(`crictl exec id-of-haproxy-monitor hawser ${command}`);
    expect(ran.filter((line) => / run /.test(line))).toEqual([]);
  },
);

test('status and timeline work without a running pod, and commands that need a pod report it', () => {
  const { type } = node(['podman']);
  expect(type('status').last).toMatch(/^podman run .*hawser:1 status$/);
  const drained = type('drain');
  expect(drained.exitCode).toBe(2);
  expect(drained.stderr).toBe(
    'Cannot run hawser drain: container "keepalived-monitor" is not running (searched with podman); with CRI-O, install crictl\n',
  );
});

test('the error names what is missing: root, the image, a container engine', () => {
  expect(node(['podman'], { user: 1000 }).type('status').stderr).toContain('it needs root');
  for (const words of [['doctor'], ['--help']])
    expect(node(['podman'], { installed: '' }).type(...words).stderr).toContain('export HAWSER_IMAGE=');
  expect(node([]).type('doctor').stderr).toContain('install ctr (containerd), podman or docker');
  expect(node([]).type('drain').stderr).toContain('no container runtime found: install crictl');
});

test('daemons are not started by hand', () => {
  expect(node(['podman']).type('haproxy', 'supervise').stderr).toContain('it runs only in its static pod');
});
