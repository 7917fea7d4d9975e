import { type Finding, fail, ok, skip, unlessUnseen, warn } from '../../../engine/examine/check.ts';
import type { DoctorCheck, DoctorSettings } from '../look/context.ts';

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

const settingsFile: DoctorCheck = {
  id: 'settings-file',
  title: 'The settings file',
  why: 'No process of hawser starts with a broken file: what runs now goes on until its next restart.',
  run: async (context) => {
    const { settingsFile: look, outdated } = context.settings;
    const finding = judgeSettingsFile(look, outdated);
    return look.kind === 'none' ? await unlessUnseen(context, finding) : finding;
  },
};

export const settingsFileChecks: readonly DoctorCheck[] = [settingsFile];
