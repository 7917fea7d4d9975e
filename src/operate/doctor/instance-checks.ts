import { type Finding, worstOf } from '../../engine/examine/check.ts';
import type { DoctorCheck, DoctorContext } from './look/context.ts';
import type { Product } from './look/product.ts';

/** The product's checks, each of which says too what it finds of the instances that it is asked about. */
export function withInstances({
  checks,
  ofInstance,
}: Pick<Product, 'checks' | 'ofInstance'>): readonly DoctorCheck[] {
  if (ofInstance === undefined) return checks;
  return checks.map((check) => ({
    ...check,
    run: async (context, signal) => {
      const looks = context.settings.instances.flatMap(async ({ name, settingsOf }) => {
        const { checks: ids, settings, apiVips } = ofInstance(settingsOf, context.settings);
        if (!ids.includes(check.id)) return [];
        const readings = { ...context.readings, apiVips: async () => apiVips };
        const here: DoctorContext = {
          ...context,
          settings: { ...context.settings, ...settings, instance: name },
          readings,
        };
        return named(await check.run(here, signal), name);
      });
      const [own, ...others] = await Promise.all([check.run(context, signal), ...looks]);
      const there = others.flat();
      return there.length === 0 || own === undefined ? own : worstOf([own, ...there], '');
    },
  }));
}

function named(finding: Finding, name: string): Finding {
  return { ...finding, found: `instance ${name}: ${finding.found}` };
}
