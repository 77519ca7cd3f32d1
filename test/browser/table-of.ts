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

/** Opens "As a table" of a picture, reads it, and closes it. */
export async function tableOf(page: Page, name: string): Promise<ShownTable> {
  const view = page.locator('.table-view', { has: page.getByText(`As a table: ${name}`, { exact: true }) })
  const opener = view.locator('summary')
  await opener.click()
  await view.locator('td').last().waitFor()
  const { rowNames, cells } = await view.locator('tbody').evaluate((body) => {
    const lines = [...body.querySelectorAll('tr')]
    const texts = (line: Element, cell: string) =>
      [...line.querySelectorAll(cell)].map(({ textContent }) => textContent ?? '')
    return {
      rowNames: lines.flatMap((line) => texts(line, 'th')),
      cells: lines.map((line) => texts(line, 'td')),
    }
  })
  await opener.click()
  return { rowNames, numbers: cells.map((row) => row.map(numberOf)) }
}
