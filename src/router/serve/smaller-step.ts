import type { Plan } from '../../engine/config/deploy-state.ts';
import { othersOf, piecesOf, type Rendered, setOfPieces } from '../../engine/config/set.ts';
import type { RuntimeChange, ServerChange } from '../../haproxy/runtime/change.ts';

/** Takes HAProxy a quarter of a second, which is how long a change of another namespace waits. */
const MOST_SERVERS = 100;

type ChangePlan = Plan<RuntimeChange>;

/** The first changes of servers only, if there are many. The next plan has the rest. */
export function smallerStep(running: Rendered, plan: ChangePlan, most = MOST_SERVERS): ChangePlan {
  const servers = plan.tell.filter((change) => change.kind === 'server');
  if (servers.length <= most) return plan;
  const tell = servers.slice(0, most);
  const chosen = Map.groupBy(tell, ({ server }) => server.slice(0, server.indexOf('/')));
  const wanted = new Map(piecesOf(plan.running).map((piece) => [backendOf(piece), piece]));
  const pieces = piecesOf(running).map((piece) => {
    const changes = chosen.get(backendOf(piece) ?? '');
    const after = wanted.get(backendOf(piece));
    return changes === undefined || after === undefined ? piece : changedPiece(piece, after, changes);
  });
  const after = setOfPieces(pieces, { mode: running.mode, others: othersOf(running) });
  return { ...plan, tell, readsFiles: false, running: after };
}

function backendOf(piece: string): string | undefined {
  return /^\nbackend (\S+)/.exec(piece)?.[1];
}

/** A backend with these changes only: each of its servers is that of one of the two. */
function changedPiece(before: string, after: string, changes: readonly ServerChange[]): string {
  const now = new Map(after.split('\n').map((line) => [serverIn(line), line]));
  const names = new Map(changes.map(({ server, wanted }) => [server.slice(server.indexOf('/') + 1), wanted]));
  const lines = before.split('\n').flatMap((line) => {
    const name = serverIn(line);
    if (name === undefined || !names.has(name)) return [line];
    const wanted = names.get(name);
    names.delete(name);
    return wanted === null ? [] : [now.get(name) ?? line];
  });
  const news = [...names.keys()].flatMap((name) => now.get(name) ?? []);
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return lines.toSpliced(last + 1, 0, ...news).join('\n');
}

function serverIn(line: string): string | undefined {
  return /^\s+server (\S+) /.exec(line)?.[1];
}
