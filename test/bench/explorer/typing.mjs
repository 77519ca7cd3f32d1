/** Milliseconds from a letter typed at the end of the text to the frame in which the tokens' card has it. */
export async function keyToPicture(page) {
  const painted = page.evaluate(
    () =>
      new Promise((resolve) => {
        const arrow = document.querySelector('#tokens + .arrow')
        const before = arrow.textContent
        let pressed = 0
        addEventListener('keydown', ({ timeStamp }) => (pressed = timeStamp), { once: true })
        const look = () => {
          if (arrow.textContent === before) return requestAnimationFrame(look)
          requestAnimationFrame((now) => resolve(now - pressed))
        }
        requestAnimationFrame(look)
      }),
  )
  await page.locator('#field-text').evaluate((field) => {
    field.focus()
    field.selectionStart = field.value.length
  })
  await page.keyboard.press('x')
  return painted
}
