/**
 * Where a file of the package lies: `packageFile('dist/kernels/model.wasm')`. This module is one folder below the
 * package's, as it is written (src), compiled (build) and bundled (dist).
 */
export function packageFile(path: string): URL {
  return new URL(`../${path}`, import.meta.url)
}
