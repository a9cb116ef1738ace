/** What the stylesheet of the page decides about a drawing, and a file has to bring along. */
const STYLED = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-opacity',
  'stroke-width',
  'font-family',
  'font-size',
  'font-weight',
]
const MARGIN = 16
/** Pixels of a picture per pixel of the page. */
const SHARPNESS = 2

/** A drawing as a file that looks the same without the page. */
export function svgFileOf(svg: SVGSVGElement): Blob {
  const copy = svg.cloneNode(true) as SVGSVGElement
  const copies = [...copy.querySelectorAll<SVGElement>('*')]
  for (const [at, element] of [...svg.querySelectorAll<SVGElement>('*')].entries()) {
    const style = getComputedStyle(element)
    copies[at]?.removeAttribute('class')
    for (const name of STYLED) copies[at]?.setAttribute(name, style.getPropertyValue(name))
  }
  makeWritable(copy)
  const [width, height] = sizeOf(svg)
  const ground = document.createElementNS(svg.namespaceURI as string, 'rect')
  const sides = { x: -MARGIN, y: -MARGIN, width, height, fill: groundOf(svg) }
  for (const [name, value] of Object.entries(sides)) ground.setAttribute(name, String(value))
  copy.prepend(ground)
  copy.removeAttribute('class')
  copy.setAttribute('width', String(width))
  copy.setAttribute('height', String(height))
  copy.setAttribute('viewBox', `${-MARGIN} ${-MARGIN} ${width} ${height}`)
  return new Blob([new XMLSerializer().serializeToString(copy)], { type: 'image/svg+xml' })
}

/**
 * Replaces the characters that XML cannot have, which labels
 * from rows may have: a serializer writes them as they are.
 */
function makeWritable(drawing: SVGSVGElement): void {
  const nodes = document.createNodeIterator(drawing, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    if (node instanceof Text) node.data = xmlText(node.data)
    else if (node instanceof Element)
      for (const attribute of node.attributes) attribute.value = xmlText(attribute.value)
  }
}

/**
 * A text with U+FFFD in place of control characters, lone
 * surrogates and others that are no characters of XML 1.0.
 */
export function xmlText(text: string): string {
  return text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
}

/**
 * A drawing as a picture. Its elements are painted one by one: the content security policy of the page lets
 * no image load from a blob, so the browser cannot rasterize the file.
 */
export async function pngOf(svg: SVGSVGElement): Promise<Blob> {
  const [width, height] = sizeOf(svg)
  const canvas = document.createElement('canvas')
  canvas.width = width * SHARPNESS
  canvas.height = height * SHARPNESS
  const context = canvas.getContext('2d')
  if (!context) throw new Error('The browser has no canvas')
  context.fillStyle = groundOf(svg)
  context.fillRect(0, 0, canvas.width, canvas.height)
  for (const element of svg.querySelectorAll<SVGGraphicsElement>('rect, path, circle, line, text')) {
    const { a, b, c, d, e, f } = element.getCTM() ?? new DOMMatrix()
    context.setTransform(SHARPNESS, 0, 0, SHARPNESS, MARGIN * SHARPNESS, MARGIN * SHARPNESS)
    context.transform(a, b, c, d, e, f)
    paint(context, element, getComputedStyle(element))
  }
  return new Promise((resolve, reject) => {
    canvas.toBlob(blob => (blob ? resolve(blob) : reject(new Error('The picture is too large'))), 'image/png')
  })
}

function paint(
  context: CanvasRenderingContext2D,
  element: SVGGraphicsElement,
  style: CSSStyleDeclaration,
): void {
  const path = element instanceof SVGTextElement ? null : pathOf(element)
  if (style.fill !== 'none') {
    context.globalAlpha = Number(style.fillOpacity)
    context.fillStyle = style.fill
    if (path) context.fill(path)
    else {
      context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`
      context.textAlign = style.textAnchor === 'middle' ? 'center' : (style.textAnchor as 'start' | 'end')
      context.fillText(element.textContent ?? '', numberIn(element, 'x'), numberIn(element, 'y'))
    }
  }
  if (path && style.stroke !== 'none') {
    context.globalAlpha = Number(style.strokeOpacity)
    context.strokeStyle = style.stroke
    context.lineWidth = Number.parseFloat(style.strokeWidth)
    context.lineJoin = 'round'
    context.stroke(path)
  }
  context.globalAlpha = 1
}

function pathOf(element: SVGGraphicsElement): Path2D {
  const at = (name: string) => numberIn(element, name)
  if (element instanceof SVGPathElement) return new Path2D(element.getAttribute('d') ?? '')
  const path = new Path2D()
  if (element instanceof SVGCircleElement) path.arc(at('cx'), at('cy'), at('r'), 0, 2 * Math.PI)
  else if (element instanceof SVGLineElement) {
    path.moveTo(at('x1'), at('y1'))
    path.lineTo(at('x2'), at('y2'))
  } else path.roundRect(at('x'), at('y'), at('width'), at('height'), at('rx'))
  return path
}

function numberIn(element: Element, name: string): number {
  return Number(element.getAttribute(name) ?? 0)
}

function sizeOf(svg: SVGSVGElement): [width: number, height: number] {
  return [numberIn(svg, 'width') + 2 * MARGIN, numberIn(svg, 'height') + 2 * MARGIN]
}

function groundOf(svg: SVGSVGElement): string {
  return getComputedStyle(svg).backgroundColor
}
