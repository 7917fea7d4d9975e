import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { hawserVersion } from '../../../src/engine/system/version.ts';
import { testFolder } from '../../helpers/test-folder.ts';

const kubectl = spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' });
const noKubectl = kubectl.status !== 0;
if (noKubectl) console.log('skipped: kubectl is not installed, so the Kustomize bases are not rendered');

const manifests = join(import.meta.dirname, '../../../manifests');

type Rendered = ReturnType<ReturnType<typeof parseAllDocuments>[number]['toJS']>;

function render(folder: string): readonly Rendered[] {
  const text = execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  return parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJS());
}

/** What a user's own kustomization renders from a base and its monitoring. */
function renderOverlay(base: string, deployment: string): readonly Rendered[] {
  const folder = testFolder();
  cpSync(manifests, join(folder, 'manifests'), { recursive: true });
  mkdirSync(join(folder, 'overlay'));
  const overlay = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    namespace: 'edge',
    resources: [`../manifests/${base}`],
    components: [`../manifests/${base}/monitoring`],
    images: [{ name: 'hawser', newName: 'registry.example/hawser', newTag: 'v9' }],
    replicas: [{ name: deployment, count: 5 }],
  };
  writeFileSync(join(folder, 'overlay/kustomization.yaml'), JSON.stringify(overlay));
  return render(join(folder, 'overlay'));
}

function only(objects: readonly Rendered[], kind: string): Rendered {
  const [found, ...others] = objects.filter((each) => each.kind === kind);
  if (found === undefined || others.length > 0) throw new Error(`expected one ${kind}`);
  return found;
}

const clusterWide = ['ClusterRole', 'ClusterRoleBinding', 'Namespace'];

describe.skipIf(noKubectl).each([
  { base: 'router', name: 'hawser-router', level: 'privileged' },
  { base: 'pod-proxy', name: 'haproxy', level: undefined },
])('the base manifests/$base', ({ base, name, level }) => {
  const objects = noKubectl ? [] : render(join(manifests, base));

  it('renders one Deployment with a budget and a policy that select its pods', () => {
    const deployment = only(objects, 'Deployment');
    const { labels } = deployment.spec.template.metadata;
    expect(deployment.metadata.name).toBe(name);
    expect(labels).toMatchObject(only(objects, 'PodDisruptionBudget').spec.selector.matchLabels);
    expect(labels).toMatchObject(only(objects, 'NetworkPolicy').spec.podSelector.matchLabels);
    for (const { image } of deployment.spec.template.spec.containers)
      expect(image).toBe(`hawser:${hawserVersion()}`);
  });

  it('does not contain a CRD, because `kubectl delete -k` would delete it with all of its objects', () => {
    expect(objects.map(({ kind }) => kind)).not.toContain('CustomResourceDefinition');
  });

  it('allows only ports that its containers name', () => {
    const { containers } = only(objects, 'Deployment').spec.template.spec;
    const named = containers.flatMap((each: { ports: { name: string }[] }) =>
      each.ports.map((port) => port.name),
    );
    const { ingress } = only(objects, 'NetworkPolicy').spec;
    const allowed = ingress.flatMap((each: { ports: { port: string }[] }) =>
      each.ports.map(({ port }) => port),
    );
    expect(named.toSorted()).toEqual(allowed.toSorted());
  });

  it('labels its namespace, if it has one, with the Pod Security level that its pods need', () => {
    const [namespace] = objects.filter(({ kind }) => kind === 'Namespace');
    expect(namespace?.metadata).toEqual(
      level &&
        expect.objectContaining({
          labels: expect.objectContaining({ 'pod-security.kubernetes.io/enforce': level }),
        }),
    );
  });

  it('moves to the namespace, image and replicas of a kustomization that uses it', () => {
    const moved = renderOverlay(base, name);
    for (const { kind, metadata } of moved)
      if (!clusterWide.includes(kind)) expect(metadata.namespace, kind).toBe('edge');
    for (const { subjects } of moved.filter(({ kind }) => kind.endsWith('Binding')))
      expect(subjects).toMatchObject([{ namespace: 'edge' }]);
    const { spec } = only(moved, 'Deployment');
    expect(spec.replicas).toBe(5);
    for (const { image } of spec.template.spec.containers) expect(image).toBe('registry.example/hawser:v9');
    expect(JSON.stringify(moved.map(({ metadata, ...rest }) => rest))).not.toMatch(
      /"namespace":"hawser-router"|"value":"hawser-router"/,
    );
  });

  it('has a PodMonitor as a component that selects its pods and names their ports', () => {
    const moved = renderOverlay(base, name);
    const { template } = only(moved, 'Deployment').spec;
    const monitor = only(moved, 'PodMonitor').spec;
    expect(template.metadata.labels).toMatchObject(monitor.selector.matchLabels);
    const ports = template.spec.containers.flatMap((each: { ports: { name: string }[] }) => each.ports);
    for (const { port } of monitor.podMetricsEndpoints)
      expect(ports).toContainEqual(expect.objectContaining({ name: port }));
  });
});
