const ROW = 28
const WIDTH = 640
const LABELS = 280

/** An SVG with a bar per value. The elements are created one by one, so that no string from the data becomes markup. */
export function barChart(title, bars) {
  const most = Math.max(...bars.map(({ value }) => value), 0) || 1
  const height = bars.length * ROW
  const rows = bars.flatMap(({ label, value }, index) => {
    const y = index * ROW
    const width = ((WIDTH - LABELS - 90) * Math.max(value, 0)) / most
    return [
      element('text', { x: LABELS - 8, y: y + 19, class: 'label' }, label),
      element('rect', { x: LABELS, y: y + 5, width, height: ROW - 10 }),
      element(
        'text',
        { x: LABELS + width + 6, y: y + 19 },
        Number(value.toPrecision(4)).toLocaleString('en'),
      ),
    ]
  })
  const drawing = element('svg', {
    viewBox: `0 0 ${WIDTH} ${height}`,
    role: 'img',
    'aria-label': `${title} by biome`,
  })
  drawing.append(...rows)
  return drawing
}

function element(name, attributes, text = '') {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value)
  made.textContent = text
  return made
}
