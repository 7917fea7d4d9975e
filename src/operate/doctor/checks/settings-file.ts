import { type Finding, fail, ok, skip, unlessUnseen, warn, worstOf } from '../../../engine/examine/check.ts';
import type { DoctorCheck, DoctorSettings, InstalledInstance } from '../look/context.ts';

function judgeSettingsFile(
  look: DoctorSettings['settingsFile'],
  outdated: DoctorSettings['outdated'],
): Finding {
  switch (look.kind) {
    case 'none':
      return skip('there is none: flags and defaults apply');
    case 'read':
      if (outdated.length > 0)
        return warn(
          `the pod is older than its settings file: ${outdated.join(', ')} started before ${look.path} was written`,
          'hawser install --dry-run shows which pods restart; hawser install restarts them if settings of theirs changed',
        );
      return ok(`${look.path} is valid, and was used here`);
    case 'broken':
      return fail(
        look.problems.join('; '),
        'hawser settings lists every problem with its line; this report used flags and defaults',
      );
  }
}

function judgeInstance({ name, problems }: InstalledInstance): Finding {
  return fail(
    `instance ${name}: ${problems.join('; ')}`,
    'correct the arguments of its containers, or the settings file that they name; no check looked at this instance',
  );
}

const settingsFile: DoctorCheck = {
  id: 'settings-file',
  title: 'The settings file',
  why: 'No process of hawser starts with a broken file: what runs now goes on until its next restart.',
  run: async (context) => {
    const { settingsFile: look, instances, outdated } = context.settings;
    const finding = judgeSettingsFile(look, outdated);
    const own = look.kind === 'none' ? await unlessUnseen(context, finding) : finding;
    const broken = instances.filter(({ problems }) => problems.length > 0);
    return broken.length === 0 ? own : worstOf([own, ...broken.map(judgeInstance)], '');
  },
};

export const settingsFileChecks: readonly DoctorCheck[] = [settingsFile];
