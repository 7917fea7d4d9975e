import { type Check, type Finding, fail, ok, skip } from '../check.ts';
import type { DoctorSettings } from '../context.ts';

export function judgeSettingsFile(look: DoctorSettings['settingsFile']): Finding {
  switch (look.kind) {
    case 'none':
      return skip('there is none: flags and defaults count');
    case 'read':
      return ok(`${look.path} is right, and was used here`);
    case 'broken':
      return fail(
        look.problems.join('; '),
        'hawser settings lists every problem with its line; flags and defaults counted here',
      );
  }
}

const settingsFile: Check = {
  id: 'settings-file',
  title: 'The settings file',
  why: 'No process of hawser starts with a broken one: what runs goes on until it is restarted, and no longer.',
  run: async ({ settings }) => judgeSettingsFile(settings.settingsFile),
};

export const settingsFileChecks: readonly Check[] = [settingsFile];
