import { type Applier, type ApplierOptions, createApplier } from '../../apply/applier.ts';

/** One applier for each mode that the template has had: what an applier knows to be served is its own. */
export function createAppliers(options: Omit<ApplierOptions, 'templateMode'>): (mode: number) => Applier {
  const appliers = new Map<number, Applier>();
  return (templateMode) => {
    const applier = appliers.get(templateMode) ?? createApplier({ ...options, templateMode });
    appliers.set(templateMode, applier);
    return applier;
  };
}
