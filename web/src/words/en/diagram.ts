// English texts of the screens: single-line diagram.

export const diagram = {
  customers: '{{customers}} cust.',
  diagramAsPng: 'Diagram as PNG',
  fitToView: 'Fit to view',
  singleLineDiagramOfElements: 'Single-line diagram of {{name}}, {{length}} elements{{live}}. The list beside it has every device.',
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
} as const;
