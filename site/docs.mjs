// Writes docs/*.md as pages with relative links, and their headings as a list that can be searched.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { Marked } from 'marked'

const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** GitHub's names of headings: "The rest, 2" → the-rest-2. */
const slugOf = (text) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
    .replaceAll(' ', '-')

/** @param folder to write to @param names of the files in docs/ */
export function writeDocs(folder, names) {
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync('docs'))
    if (/\.(webp|png|txt|json)$/.test(name)) cpSync(join('docs', name), join(folder, name))
  cpSync(join(import.meta.dirname, 'docs'), folder, { recursive: true })
  const all = []
  for (const name of names) {
    const { title, headings, body } = pageOf(readFileSync(join('docs', name), 'utf8'), names)
    const file = name.replace(/\.md$/, '.html')
    all.push({ file, title, headings })
    writeFileSync(join(folder, file), framed(title, body))
  }
  writeFileSync(
    join(folder, 'index.html'),
    framed('Documents', listOf(all), '<script type="module" src="search.js"></script>'),
  )
}

function pageOf(markdown, names) {
  const [headings, seen] = [[], new Map()]
  const renderer = {
    heading({ tokens, depth, text }) {
      const plain = text.replace(/[`*]/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      const slug = slugOf(plain)
      const times = seen.get(slug) ?? 0
      seen.set(slug, times + 1)
      const id = times === 0 ? slug : `${slug}-${times}`
      headings.push({ id, plain, depth })
      return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
    },
    link({ href, tokens }) {
      const to = addressOf(href, names)
      const text = this.parser.parseInline(tokens)
      return to === undefined ? text : `<a href="${escaped(to)}">${text}</a>`
    },
    table(token) {
      const cell = (tag, text) => `<${tag}>${text}</${tag}>`
      const row = (cells, tag) =>
        cell(
          'tr',
          cells.map(({ tokens, text }) => cell(text ? tag : 'td', this.parser.parseInline(tokens))).join(''),
        )
      const head = token.header.some(({ text }) => text) ? `<thead>${row(token.header, 'th')}</thead>` : ''
      const rows = token.rows.map((cells) => row(cells, 'td')).join('\n')
      return `<div class="scrolls" tabindex="0" role="group" aria-label="Table"><table>${head}<tbody>${rows}</tbody></table></div>\n`
    },
    code: ({ text }) =>
      `<pre tabindex="0" role="group" aria-label="Lines"><code>${escaped(text)}</code></pre>\n`,
  }
  const body = new Marked({ renderer }).parse(markdown)
  return { title: headings[0]?.plain ?? 'Inlet', headings, body }
}

/** Of a page its own address, of a file that is not on the site none. */
function addressOf(href, names) {
  if (/^(https?:|#)/.test(href)) return href
  const [path, fragment] = href.split('#')
  const name = posix.normalize(path)
  const end = fragment === undefined ? '' : `#${fragment}`
  if (names.includes(name)) return name.replace(/\.md$/, '.html') + end
  return /^[\w-]+\.(webp|png|txt|json)$/.test(name) ? name : undefined
}

function listOf(pages) {
  const item = ({ file, title, headings }) => {
    const inner = headings
      .slice(1)
      .map(({ id, plain }) => `<li><a href="${file}#${id}">${escaped(plain)}</a></li>`)
    return `<section><h2><a href="${file}">${escaped(title)}</a></h2><ul>${inner.join('')}</ul></section>`
  }
  const search = '<p><label>Find a heading <input type="search" id="find" autocomplete="off"></label></p>'
  const begin = [
    ['chats', 'training on chats'],
    ['browser', 'the first layer in your own page'],
    ['serve', 'a service'],
  ].map(([name, what]) => `<a href="${name}.html">${what}</a>`)
  return `<h1>Documents</h1><p>Begin with ${begin.join(', or ')}.</p>${search}<div id="found">${pages.map(item).join('\n')}</div>`
}

function framed(title, body, more = '') {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}: Inlet</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs.css">
${more}
</head>
<body>
<nav aria-label="Site"><a href="../index.html">Inlet</a> <a href="index.html">Documents</a></nav>
<main>
${body}
</main>
</body>
</html>
`
}
