import { removeOrphans } from './remove-orphans.ts';
import { RUN_FOLDERS } from './run-folder.ts';

await removeOrphans(RUN_FOLDERS);
