const find = document.getElementById('find')
find.addEventListener('input', () => {
  const words = find.value.toLowerCase().split(/\s+/)
  const has = (element) => words.every((word) => element.textContent.toLowerCase().includes(word))
  for (const section of document.querySelectorAll('#found section')) {
    const isWhole = has(section.querySelector('h2'))
    const items = [...section.querySelectorAll('li')]
    for (const item of items) item.hidden = !isWhole && !has(item)
    section.hidden = !isWhole && items.every((item) => item.hidden)
  }
})
