import * as z from 'zod/mini';
import { commandSpec, type Flag, flag, jsonFlag, type SettingsOf } from '../../cli/command-spec.ts';
import { absolutePath, durationMs, listOf } from '../../cli/fields.ts';
import {
  apiPort,
  apiVips,
  ingressVips,
  nodeName,
  root,
  servers,
  source,
  worker,
} from '../../cli/shared-flags.ts';
import { ConfigError } from '../../engine/system/errors.ts';

/** The flags that the products define. */
type ProductFlags = Readonly<Record<never, Flag>>;

/** `checkIds` are the valid values of `--only`; `productFlags` are the flags of the products. */
export const doctorCommand = (checkIds: readonly string[], productFlags: ProductFlags) =>
  commandSpec({
    name: 'doctor',
    summary:
      'Checks this node and reports problems, why they matter and how to fix them. Makes no lasting changes.',
    // Flags of one pod only name their own section.
    section: 'top',
    flags: {
      apiVips: { ...apiVips, help: 'virtual IPs of the API (default: those in keepalived.conf)' },
      ingressVips,
      kubeconfig: flag(
        '<path>',
        z.optional(absolutePath),
        "kubeconfig of the monitors (default: as the monitor runs, else /etc/hawser/kubeconfig, else the kubelet's)",
        { inFile: 'top' },
      ),
      nodeName,
      source,
      servers: { ...servers, help: 'HOST=IP[:PORT],… the nodes, if the API is not available' },
      apiPort,
      worker,
      ...productFlags,
      manifests: flag('<path>', absolutePath, "the kubelet's static pods", {
        default: '/etc/kubernetes/manifests',
        inFile: 'never',
      }),
      root,
      only: flag(
        '<ids>',
        z.optional(listOf(z.string(), 'expected a check')),
        'only these checks, separated by commas',
        {
          inFile: 'never',
          choices: checkIds,
        },
      ),
      timeout: flag(
        '<duration>',
        durationMs,
        'time limit of each check, plus its time for listening; all checks run at once',
        { default: '2s', inFile: 'never' },
      ),
      json: jsonFlag('print JSON, as schemas/doctor.schema.json describes it'),
    },
    examples: [
      ['hawser doctor --api-vips 192.0.2.100', 'before an install: would hawser work here?'],
      ['hawser doctor', 'on an installed node: is everything in place?'],
      ['hawser doctor --only vip-holder,vrrp-adverts', 'only two checks'],
      ['hawser doctor --only foreign-router-id --virtual-router-ids 91,92', 'are these free on the segment?'],
      ['hawser doctor --json | jq \'.checks[] | select(.verdict == "fail")\''],
    ],
    notes: [
      'It works even if no process of hawser runs. It reports "cannot tell" for checks that it cannot make, for example without root or in a container without the files of the node. docs/doctor.md lists the checks.',
      'Exit codes: 0 healthy, warnings included; 1 a check failed; 2 no failures, but some checks could not run ("cannot tell"), or usage.',
    ],
    derive: (settings) => {
      const invalid = (settings.only ?? []).filter((id) => !checkIds.includes(id));
      if (invalid.length > 0)
        throw new ConfigError(
          invalid.map((id) => `Cannot use --only "${id}": no such check, expected ${checkIds.join(', ')}`),
        );
      return settings;
    },
  });

export type DoctorCommandSettings = SettingsOf<ReturnType<typeof doctorCommand>>;
