// English texts of the screens: single-line diagram.

export const diagram = {
  customers: '{{customers}} cust.',
  diagramAsPng: 'Diagram as PNG',
  fitToView: 'Fit to view',
  singleLineDiagram_one: 'Single-line diagram of {{name}}, {{count}} element. The list beside it has every device.',
  singleLineDiagram_other: 'Single-line diagram of {{name}}, {{count}} elements. The list beside it has every device.',
  singleLineDiagramNotLive_one: 'Single-line diagram of {{name}}, {{count}} element, not live. The list beside it has every device.',
  singleLineDiagramNotLive_other: 'Single-line diagram of {{name}}, {{count}} elements, not live. The list beside it has every device.',
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
} as const;
