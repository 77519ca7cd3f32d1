import { watchFile } from 'node:fs'

/** Files are polled: an orchestrator changes mounted secrets by swapping links, and some mounts send no event for that. */
const LOOK_MS = 2000

/**
 * Calls `look` whenever one of the files has changed, without keeping the process alive; and once after the
 * first two seconds, for what changed between its reading at the start and the beginning of the watch.
 */
export function watchFiles(paths: readonly string[], look: () => void): void {
  for (const path of paths) watchFile(path, { interval: LOOK_MS, persistent: false }, look)
  setTimeout(look, LOOK_MS).unref()
}
