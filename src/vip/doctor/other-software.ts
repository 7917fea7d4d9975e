import {
  type Check,
  checkOf,
  type Finding,
  fail,
  moreRights,
  ok,
  read,
  unknown,
  warn,
} from '../../engine/examine/check.ts';
import type { HostFiles } from '../../engine/examine/host-files.ts';
import { type HostProcess, isHawser } from '../../engine/examine/host-processes.ts';
import type { VipContext } from './context.ts';

/** The manifest of a static pod. */
interface Manifest {
  readonly path: string;
  readonly text: string;
}

const KNOWN: readonly { readonly name: string; readonly pattern: RegExp }[] = [
  { name: 'kube-vip', pattern: /image["']?:.*\bkube-vip\b|^\s*-?\s*name:\s*["']?kube-vip\b/m },
  { name: 'keepalived', pattern: /image["']?:.*\bkeepalived\b|^\s*-?\s*name:\s*["']?keepalived\b/m },
];

function softwareOf({ text }: Manifest): string | undefined {
  const isOurs = /app\.kubernetes\.io\/name:\s*["']?hawser\b/.test(text) || /image:.*\bhawser\b/.test(text);
  return isOurs ? undefined : KNOWN.find(({ pattern }) => pattern.test(text))?.name;
}

/** A pod with one of our VIPs competes for it: a failure. A pod with other VIPs is a warning. */
function judgeManifest(manifest: Manifest, vips: readonly string[]): Finding {
  const software = softwareOf(manifest);
  if (software === undefined) return ok('no other static pod here manages a VIP');
  const shared = vips.filter((vip) => manifest.text.split(/[^0-9A-Fa-f.:]+/).includes(vip));
  const move = `mv ${manifest.path} /root/ (the kubelet then ends the pod)`;
  return shared.length > 0
    ? fail(
        `${manifest.path} is ${software} with ${shared.join(', ')}`,
        `${move}, on all nodes before hawser starts`,
      )
    : warn(
        `${manifest.path} is ${software}`,
        `make sure that its VIP and router id differ from hawser's; otherwise ${move}`,
      );
}

/** Judges processes of kube-vip, and of a keepalived that hawser's supervisor did not start: a package's service, an older pod. */
function judgeProcesses(processes: readonly HostProcess[], config: string): Finding {
  const others = processes.filter(
    (each) => each.name === 'kube-vip' || (each.name === 'keepalived' && !isSupervisedKeepalived(each)),
  );
  const [other] = others;
  if (other === undefined) return ok('no other keepalived or kube-vip runs');
  const isService = processes.some((each) => isHawser(each, ['keepalived', 'supervise']));
  const found = `${other.name} (pid ${other.pid}, ${other.argv.join(' ').slice(0, 80)}) is not hawser's`;
  const remedy = `systemctl disable --now keepalived, or remove its pod (cat /proc/${other.pid}/cgroup names it)`;
  return isService || other.name === 'kube-vip'
    ? fail(found, remedy)
    : warn(found, `${remedy}; hawser reads ${config}`);
}

export const otherSoftware: Check<VipContext> = checkOf({
  id: 'other-vip-software',
  title: 'Other VIP software',
  why: "Two programs that manage the VIP put it on two nodes, and remove each other's address.",
  isFirst: true,
  needs: {
    here: async ({ files, readings, settings }: VipContext) =>
      read({
        manifests: await readManifests(files, settings.manifests),
        vips: await readings.vips(),
        processes: await readings.processes(),
        config: settings.keepalivedConfig,
      }),
  },
  unlessUnseen: ['ok'],
  judge: ({ here: { manifests, vips, processes, config } }) => [
    ...manifests.map(({ path, text }) =>
      text === undefined
        ? unknown(`"${path}" cannot be read`, moreRights)
        : judgeManifest({ path, text }, vips),
    ),
    judgeProcesses(processes, config),
  ],
});

/** The files that the kubelet reads: all but hidden ones. The text of an unreadable file is undefined. */
async function readManifests(files: HostFiles, folder: string) {
  const names = (await files.list(folder)).filter((name) => !name.startsWith('.'));
  const read = names.map(async (name) => {
    const path = `${folder}/${name}`;
    const file = await files.read(path);
    if (file.kind === 'text') return { path, text: file.text };
    return file.kind === 'unreadable' && !/EISDIR/.test(file.reason) ? { path, text: undefined } : [];
  });
  return (await Promise.all(read)).flat();
}

/** Whether hawser's supervisor started this keepalived, by its arguments. */
export function isSupervisedKeepalived({ name, argv }: HostProcess): boolean {
  return name === 'keepalived' && argv.includes('--dont-respawn') && argv.includes('--dont-fork');
}
