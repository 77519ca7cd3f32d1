import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

/**
 * The URL of a file of the package: `packageFile('dist/kernels/model.wasm')`. Finds the package's folder above this
 * module, wherever the module lies: as written (`src/`), compiled (`build/`) or bundled (`dist/`).
 */
export function packageFile(path: string): URL {
  return new URL(path, packageFolder)
}

/** What the build has made: `builtFile('kernels/model.wasm')`. @throws Error if it has not */
export function builtFile(name: string): Buffer<ArrayBuffer> {
  try {
    return readFileSync(packageFile(`dist/${name}`))
  } catch (cause) {
    throw notBuilt(name, cause)
  }
}

/** The same for large files, while other work goes on. */
export function loadBuiltFile(name: string): Promise<Buffer<ArrayBuffer>> {
  return readFile(packageFile(`dist/${name}`)).catch((cause) => {
    throw notBuilt(name, cause)
  })
}

function notBuilt(name: string, cause: unknown): Error {
  return new Error(`dist/${name} is not built: run npm run build.`, { cause })
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
