// English texts of the screens: embedded pages of other servers.

export const embedded = {
  appId: 'Id of the application that is registered there for this portal',
  appSecret: 'File with the secret of that application; it stays on the server',
  frameHosts: 'Hosts whose pages may be framed; an administrator of the server sets them',
  httpError: 'HTTP-Error: {{status}}',
  loadingEmbed: 'Loading embed...',
  noEmbedUrl: 'The reports page has no embed URL: set reportsEmbedUrl in the configuration of the utility.',
  notToBeFramed: 'The address in the configuration cannot be shown here: it has to begin with https:// and be another server’s.',
  powerBiNotConfigured: 'No report is embedded here yet. An administrator of the server sets:',
  reportId: 'Id of the report. Its model needs a role that filters by the client id of the identity',
  reportRefused: 'Power BI has not opened the report. {{reason}}',
  reportSlow: 'Power BI has not opened the report for {{seconds}} s. It may still open.',
  reports: 'Reports',
  reportsEmbedUrl: 'Address of the page with the utility’s reports, on one of these hosts; Administration, Utility',
  reportsNotConfigured: 'No page of reports is configured yet. An administrator sets it for the utility:',
  role: 'Role of that model by which rows are locked; without it none is opened',
  tenantId: 'Id of the organisation in Microsoft Entra',
  workspaceId: 'Id of the workspace that the report is in',
} as const;
