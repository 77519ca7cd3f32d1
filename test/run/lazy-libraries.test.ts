import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import '../built.js'

const DIST = new URL('../../dist/', import.meta.url).pathname

/** A file of the build with all that it imports at its start. */
function loaded(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found
  found.add(path)
  const imports = readFileSync(path, 'utf8').matchAll(/^(?:import|export)\b[^'"]*["'](\.[^'"]+)["'];?$/gm)
  for (const [, name] of imports) loaded(join(dirname(path), name!), found)
  return found
}

test.each(['worker.js', 'index.js', 'run-thread.js', 'cli/main.js'])(
  '%s starts without the reader and the writer of Parquet, and without the client of buckets',
  (entry) => {
    const files = loaded(join(DIST, entry))
    expect(files.size).toBeGreaterThan(3)
    for (const file of files) {
      const text = readFileSync(file, 'utf8')
      for (const own of ['DELTA_LENGTH_BYTE_ARRAY', 'ThriftStruct', 'ListObjectsV2Command'])
        expect(text.includes(own), file).toBe(false)
    }
  },
)
