import { existsSync, readFileSync } from 'node:fs'

/**
 * The URL of a file of the package: `packageFile('dist/kernels/model.wasm')`. Finds the package's folder above this
 * module, wherever the module lies: as written (`src/`), compiled (`build/`) or bundled (`dist/`).
 */
export function packageFile(path: string): URL {
  return new URL(path, packageFolder)
}

/** The package's version, `0.1.0`, read from its file at each call. */
export function packageVersion(): string {
  return JSON.parse(readFileSync(packageFile('package.json'), 'utf8')).version
}

const packageFolder = folderOf(new URL('./', import.meta.url))

function folderOf(folder: URL): URL {
  if (existsSync(new URL('package.json', folder))) return folder
  const above = new URL('../', folder)
  if (above.href === folder.href) throw new Error('The folder of the package has no package.json.')
  return folderOf(above)
}
