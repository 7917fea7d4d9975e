/** The commands that sign and publish a release, for its owner to run in the folder with the artefacts. */
export function nextCommands(version: string, files: readonly string[]): string {
  const archives = files.filter((name) => name.endsWith('.oci.tar'));
  const add = archives.map((name) => `podman manifest add hawser:${version}-all oci-archive:${name}`);
  return [
    'Next, with your key and your registry:',
    '',
    `git tag --sign v${version} --message 'hawser ${version}' && git push origin HEAD v${version}`,
    'gpg --armor --detach-sign SHA256SUMS',
    'REGISTRY=registry.example.com/infra',
    `podman manifest create hawser:${version}-all`,
    ...add,
    `podman manifest push --all hawser:${version}-all "docker://$REGISTRY/hawser:${version}"`,
    `cosign sign --key cosign.key "$REGISTRY/hawser:${version}"`,
    ...archives.map((name) => {
      const sbom = name.replace('.oci.tar', '.spdx.json');
      return `cosign attest --key cosign.key --type spdxjson --predicate ${sbom} "$REGISTRY/hawser:${version}"`;
    }),
  ].join('\n');
}
