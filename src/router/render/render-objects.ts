import { join } from 'node:path';
import type { Decision } from '../decide/decide.ts';
import { hostText, type PathMatch } from '../model.ts';
import type { RouterSettings } from '../settings/router-settings.ts';
import { defaultCertificate } from './default-certificate.ts';
import { DEFAULT_CERTIFICATE_FILE } from './file-names.ts';
import { readGivenFiles } from './given-files.ts';
import { createTemplateRenderer } from './render-router.ts';
import { readRouterTemplate } from './router-template.ts';
import { refusalOf } from './unprintable.ts';
import { writeOut } from './write-out.ts';

/** The outcome for one route. */
export interface RenderedRoute {
  readonly key: string;
  /** `*.apps.example.com` for a wildcard. */
  readonly host: string;
  readonly path: string;
  /** `exact` excludes everything below the path. */
  readonly pathMatch: PathMatch;
  readonly admitted: boolean;
  /** Why the route is not served: the reason in its status, or `Unprintable`. */
  readonly reason?: string;
  readonly message?: string;
  /** Parts of the route that have no effect. */
  readonly remarks: readonly string[];
}

type ObjectsRendered =
  | { readonly kind: 'written'; readonly routes: readonly RenderedRoute[] }
  | { readonly kind: 'failed'; readonly message: string };

/** Writes the whole set into a folder. Equal objects produce equal bytes, whatever their order. */
export async function renderObjects(
  { admission, model }: Decision,
  settings: RouterSettings,
  folder: string,
): Promise<ObjectsRendered> {
  const template = await readRouterTemplate(settings.template);
  if (template.kind === 'unreadable') return { kind: 'failed', message: template.message };
  const before = join(folder, DEFAULT_CERTIFICATE_FILE);
  const certificate = await defaultCertificate(settings, before, new Date());
  const given = await readGivenFiles(settings);
  const outcome = await createTemplateRenderer(settings)(template, model, certificate, given);
  if (outcome.kind === 'failed') return outcome;
  await writeOut(folder, outcome.rendered);
  const problems = new Map(outcome.leftOut.map((each) => [each.key, refusalOf(each)]));
  const remarks = new Map(model.backends.map((backend) => [backend.key, backend.remarks]));
  const admitted = admission.admitted.map((claim): RenderedRoute => {
    const { key, path, pathMatch } = claim;
    const problem = problems.get(key);
    const host = hostText(claim);
    return {
      key,
      host,
      path,
      pathMatch,
      admitted: problem === undefined,
      ...problem,
      remarks: remarks.get(key) ?? [],
    };
  });
  const rejected = admission.rejected.map(
    ({ reason, message, ...claim }): RenderedRoute => ({
      key: claim.key,
      host: hostText(claim),
      path: claim.path,
      pathMatch: claim.pathMatch,
      admitted: false,
      reason,
      message,
      remarks: [],
    }),
  );
  return { kind: 'written', routes: [...admitted, ...rejected].sort((a, b) => (a.key < b.key ? -1 : 1)) };
}
