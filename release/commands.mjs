/**
 * What publishes a release, in its order: what can be taken back first, the mark in the repository when all is out.
 * @param registry of images and charts, as registry.example/team
 */
export function publishing({ version, out, registry }) {
  return [
    ['npm', 'publish', `${out}/npm/inlet-lm-${version}.tgz`],
    ['npm', 'publish', `${out}/npm/inlet-client-${version}.tgz`],
    [
      'twine',
      'upload',
      `${out}/python/inlet_client-${version}-py3-none-any.whl`,
      `${out}/python/inlet_client-${version}.tar.gz`,
    ],
    [
      'docker',
      'buildx',
      'bake',
      '--file',
      'docker/bake.json',
      '--set',
      `*.tags=${registry}/inlet:${version}`,
      '--push',
    ],
    ['helm', 'push', `${out}/helm/inlet-${version}.tgz`, `oci://${registry}/charts`],
    ['git', 'tag', '--annotate', `v${version}`, '--file', `${out}/NOTES.md`, '--cleanup=verbatim'],
    ['git', 'push', 'origin', `v${version}`],
  ]
}
