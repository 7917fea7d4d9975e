import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { hawser } from '../../helpers/supervisor-build.ts';

test.each([
  [[], 'ClusterRoleBinding', [{ kind: 'User', name: 'hawser' }], ['nodes']],
  [['--kubelet'], 'ClusterRoleBinding', [{ kind: 'Group', name: 'system:nodes' }], ['nodes']],
  [
    ['--endpoints'],
    'RoleBinding',
    [
      { kind: 'User', name: 'hawser' },
      { kind: 'Group', name: 'system:nodes' },
    ],
    ['endpointslices'],
  ],
])('hawser rbac %j grants its subjects read access, and nothing else', (flags, kind, subjects, resources) => {
  const text = execFileSync(hawser, ['rbac', ...flags], { encoding: 'utf8' });
  const [role, binding, ...more] = [...parseAllDocuments(text)].map((document) => document.toJS());
  expect(more).toEqual([]);
  expect(role.rules).toEqual([expect.objectContaining({ resources, verbs: ['get', 'list', 'watch'] })]);
  expect(binding.kind).toBe(kind);
  expect(binding.roleRef).toMatchObject({ kind: role.kind, name: role.metadata.name });
  expect(binding.subjects).toEqual(subjects.map((each) => expect.objectContaining(each)));
});
