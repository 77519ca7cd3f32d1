import type { Page } from 'playwright-core'

/** A picture's numbers as its table writes them. */
export interface ShownTable {
  readonly rowNames: readonly string[]
  readonly numbers: readonly (readonly number[])[]
}

/** "−0.5" → -0.5: the page writes the sign of minus, and ∞. */
export function numberOf(text: string | null): number {
  return Number(text?.replace('−', '-').replace('∞', 'Infinity') ?? Number.NaN)
}

/** Opens "As a table" of a picture, reads all its columns, page by page, and closes it. */
export async function tableOf(page: Page, name: string): Promise<ShownTable> {
  const opener = page.getByRole('button', { name: `As a table : ${name}`, exact: true })
  const { rowNames, cells } = await opener.evaluate(async (button: HTMLButtonElement) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const view = button.parentElement as HTMLElement
    const rowNames: string[] = []
    const cells: string[][] = []
    button.click()
    for (let isLast = false; !isLast; ) {
      await frame()
      view.querySelectorAll('tbody tr').forEach((line, row) => {
        rowNames[row] = line.querySelector('th')?.textContent ?? ''
        const texts = [...line.querySelectorAll('td')].map(({ textContent }) => textContent ?? '')
        cells[row] = [...(cells[row] ?? []), ...texts]
      })
      const next = view.querySelectorAll<HTMLButtonElement>('.buttons button')[1]
      isLast = next.disabled
      next.click()
    }
    button.click()
    await frame()
    return { rowNames, cells }
  })
  return { rowNames, numbers: cells.map((row) => row.map(numberOf)) }
}
