import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const inFolder = (folder: string) =>
  readdirSync(folder, { recursive: folder !== '.', encoding: 'utf8' }).map((name) => join(folder, name))
const pages = ['.', 'docs', 'clients', 'docker', 'examples']
  .flatMap(inFolder)
  .filter((path) => /\.md$|llms\.txt$/.test(path) && !path.includes('node_modules'))

/** A page's headings as GitHub names their places: `## What a batch costs` → `what-a-batch-costs`. */
const places = (page: string) =>
  Array.from(readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  )

it.each(pages)('%s links to pages and headings that exist', (page) => {
  for (const [, link = ''] of readFileSync(page, 'utf8').matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)) {
    const [path, heading] = link.split('#')
    const target = path ? join(dirname(page), path) : page
    expect(existsSync(target), link).toBe(true)
    if (heading && target.endsWith('.md')) expect(places(target), link).toContain(heading)
  }
})
