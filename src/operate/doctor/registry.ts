import { clusterChecks } from './checks/cluster.ts';
import { credentialChecks } from './checks/credentials.ts';
import { kubeconfigServerChecks } from './checks/kubeconfig-server.ts';
import { portChecks } from './checks/ports.ts';
import { settingsFileChecks } from './checks/settings-file.ts';
import { withInstances } from './instance-checks.ts';
import type { DoctorCheck } from './look/context.ts';
import type { Product } from './look/product.ts';

/** Every check, in the order in which they are shown: the settings, each product, the ports of all, the API. */
export function checksOf(products: readonly Product[]): readonly DoctorCheck[] {
  return [
    ...settingsFileChecks,
    ...products.flatMap(withInstances),
    ...portChecks(products),
    ...kubeconfigServerChecks,
    ...credentialChecks,
    ...clusterChecks,
  ];
}
