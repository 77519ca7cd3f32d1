import type tokenizers from 'tokenizers'

/** The Rust library. */
export type Library = typeof tokenizers

/** The library, or why it cannot be had. */
export type LibraryOrReason =
  | { readonly library: Library; readonly reason?: undefined }
  | { readonly library?: undefined; readonly reason: string }

let loaded: Promise<LibraryOrReason> | undefined

/** Loads npm `tokenizers`, an optional dependency: it may not be installed, or not for this platform. */
export function loadLibrary(): Promise<LibraryOrReason> {
  loaded ??= libraryFrom(() => import('tokenizers'))
  return loaded
}

/** The result of `load`: the library's module, or an error with the missing part. */
export function libraryFrom(load: () => Promise<{ default: Library }>): Promise<LibraryOrReason> {
  return load().then(
    (module) => ({ library: module.default }),
    (error: NodeJS.ErrnoException) => ({ reason: reasonOf(error) }),
  )
}

function reasonOf(error: NodeJS.ErrnoException): string {
  return error.code === 'ERR_MODULE_NOT_FOUND'
    ? 'the optional package `tokenizers` is not installed'
    : `the optional package \`tokenizers\` does not run here (${process.platform} ${process.arch})`
}
