import {
  type Check,
  type Finding,
  fail,
  moreRights,
  ok,
  unknown,
  unlessUnseen,
  warn,
  worstOf,
} from '../../../engine/examine/check.ts';
import type { HostFiles } from '../../../engine/examine/host-files.ts';
import {
  type HostProcess,
  isHawser,
  isSupervisedKeepalived,
} from '../../../engine/examine/host-processes.ts';
import type { VipContext } from '../context.ts';

/** A static pod of the kubelet, as its text describes it. */
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

/** A pod that names one of our VIPs competes for it. A pod with other VIPs is only worth knowing about. */
function judgeManifest(manifest: Manifest, vips: readonly string[]): Finding {
  const software = softwareOf(manifest);
  if (software === undefined) return ok('no static pod here keeps a VIP but ours');
  const shared = vips.filter((vip) => manifest.text.split(/[^0-9A-Fa-f.:]+/).includes(vip));
  const move = `mv ${manifest.path} /root/ (the kubelet then ends the pod)`;
  return shared.length > 0
    ? fail(
        `${manifest.path} is ${software} with ${shared.join(', ')}`,
        `${move}, on all nodes before hawser starts`,
      )
    : warn(
        `${manifest.path} is ${software}`,
        `make sure that it keeps another VIP and router id than hawser; else ${move}`,
      );
}

/** keepalived that is no child of hawser's supervisor: a package's service, an older pod. */
function judgeProcesses(processes: readonly HostProcess[], config: string): Finding {
  const others = processes.filter(
    (each) => each.name === 'kube-vip' || (each.name === 'keepalived' && !isSupervisedKeepalived(each)),
  );
  const [other] = others;
  if (other === undefined) return ok('no other keepalived or kube-vip runs');
  const isService = processes.some((each) => isHawser(each, ['keepalived', 'supervise']));
  const found = `${other.name} (pid ${other.pid}, ${other.argv.join(' ').slice(0, 80)}) is not hawser's`;
  const todo = `systemctl disable --now keepalived, or remove its pod (cat /proc/${other.pid}/cgroup names it)`;
  return isService || other.name === 'kube-vip'
    ? fail(found, todo)
    : warn(found, `${todo}; hawser reads ${config}`);
}

const otherSoftware: Check<VipContext> = {
  id: 'other-vip-software',
  title: 'Other keepers of a VIP',
  why: "Two programs that manage the VIP put it on two nodes, and remove each other's address.",
  run: async (context) => {
    const { files, settings, readings } = context;
    const listed = await readManifests(files, settings.manifests);
    const vips = await readings.vips();
    const finding = worstOf(
      [
        ...listed.manifests.map((manifest) => judgeManifest(manifest, vips)),
        ...listed.refused.map((path) => unknown(`"${path}" may not be read`, moreRights)),
        judgeProcesses(await readings.processes(), settings.keepalivedConfig),
      ],
      '',
    );
    return finding.kind === 'ok' ? await unlessUnseen(context, finding) : finding;
  },
};

async function readManifests(
  files: HostFiles,
  folder: string,
): Promise<{ readonly manifests: readonly Manifest[]; readonly refused: readonly string[] }> {
  const manifests: Manifest[] = [];
  const refused: string[] = [];
  for (const name of await files.list(folder)) {
    // The kubelet reads every file but hidden ones.
    if (name.startsWith('.')) continue;
    const path = `${folder}/${name}`;
    const look = await files.read(path);
    if (look.kind === 'text') manifests.push({ path, text: look.text });
    if (look.kind === 'unreadable' && !/EISDIR/.test(look.reason)) refused.push(path);
  }
  return { manifests, refused };
}

export const otherSoftwareChecks: readonly Check<VipContext>[] = [otherSoftware];
