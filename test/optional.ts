import { existsSync } from 'node:fs'

/** A module of a feature, by its path in the repository; undefined where the feature has been taken out of the tree. */
export async function optional<Module>(path: string): Promise<Module | undefined> {
  const url = new URL(`../${path}`, import.meta.url)
  return existsSync(url) ? import(url.href) : undefined
}
