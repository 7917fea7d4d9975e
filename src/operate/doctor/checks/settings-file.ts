import { type Finding, fail, ok, skip, unlessUnseen } from '../../../engine/examine/check.ts';
import type { DoctorCheck, DoctorSettings } from '../look/context.ts';

export function judgeSettingsFile(look: DoctorSettings['settingsFile']): Finding {
  switch (look.kind) {
    case 'none':
      return skip('there is none: flags and defaults apply');
    case 'read':
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
  why: 'No process of hawser starts with a broken one: what runs now goes on until its next restart.',
  run: async (context) => {
    const { settingsFile: look } = context.settings;
    const finding = judgeSettingsFile(look);
    return look.kind === 'none' ? await unlessUnseen(context, finding) : finding;
  },
};

export const settingsFileChecks: readonly DoctorCheck[] = [settingsFile];
