import { Document } from 'yaml';
import type { WantedFile } from './plan.ts';
import { unprivilegedId } from './unprivileged-id.ts';

const header = [
  ' Written by `hawser install --print`: every file of a control-plane node. cloud-init takes it as it is; for Cluster API',
  ' write_files is "files" of a KubeadmControlPlane, and runcmd its "preKubeadmCommands".',
].join('\n');

/** The files of `hawser install` as cloud-config, and the folder that contains none of them. */
export function printedFiles(
  files: readonly WantedFile[],
  folder: { readonly path: string; readonly mode: number },
): string {
  const { path, mode } = folder;
  const document = new Document({
    write_files: files.map((file) => ({
      path: file.path,
      owner: 'root:root',
      permissions: octal(file.mode),
      content: file.content,
    })),
    runcmd: [`install -d -m ${octal(mode)} -g ${unprivilegedId} ${path}`],
  });
  document.commentBefore = header;
  return `#cloud-config\n${document.toString({ lineWidth: 0 })}`;
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
