-- Access: pages of the portal, the roles that have them, and the appearance of each host.
-- Pages and default rights may be read by every connection. Brands are read before sign-in, on a connection for every utility.

CREATE TABLE page (
    id        integer PRIMARY KEY,
    app_id    integer NOT NULL,
    app_name  text    NOT NULL,
    tab_name  text    NOT NULL,
    view_name text    NOT NULL,
    tab_key   text    NOT NULL UNIQUE,
    sequence  integer NOT NULL,
    path      text    NOT NULL CHECK (path LIKE '/%'),
    retired   boolean NOT NULL DEFAULT false,
    UNIQUE (app_id, sequence)
);
COMMENT ON TABLE page IS 'Pages of the portal. Ids, keys and sequence numbers are fixed, because clients may remember them.';
COMMENT ON COLUMN page.id IS 'Fixed number.';
COMMENT ON COLUMN page.app_id IS 'Number of the application.';
COMMENT ON COLUMN page.app_name IS 'Name of the application.';
COMMENT ON COLUMN page.tab_name IS 'Title of the page.';
COMMENT ON COLUMN page.view_name IS 'Name of the view.';
COMMENT ON COLUMN page.tab_key IS 'Fixed text key, such as dashboard.sld.';
COMMENT ON COLUMN page.sequence IS 'Order within the application.';
COMMENT ON COLUMN page.path IS 'Path in the browser.';
COMMENT ON COLUMN page.retired IS 'Whether the page is no longer offered. It remains because other rows refer to it.';
COMMENT ON INDEX page_pkey IS 'A page.';
COMMENT ON INDEX page_app_id_sequence_key IS 'One page for each position.';
COMMENT ON INDEX page_tab_key_key IS 'A page by its key.';
ALTER TABLE page ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY everybody ON page FOR SELECT USING (true);
CREATE POLICY every ON page USING ((SELECT bound_to_every()));
GRANT SELECT ON page TO switchyard_tenant;

INSERT INTO page (id, app_id, app_name, tab_name, view_name, tab_key, sequence, path) VALUES
    -- The first group of the dashboard is about the network, the second about a substation.
    (101, 1, 'DASHBOARD', 'Map', 'NetworkMap', 'dashboard.map', 10, '/dashboard'),
    (102, 1, 'DASHBOARD', 'Network', 'Network', 'dashboard.network', 20, '/dashboard'),
    (103, 1, 'DASHBOARD', 'RTU Health', 'RtuHealth', 'dashboard.rtu-health', 30, '/dashboard'),
    (104, 1, 'DASHBOARD', 'Communication Outages', 'CommunicationOutages', 'dashboard.outages', 40, '/dashboard'),
    (111, 1, 'DASHBOARD', 'SLD', 'SingleLineDiagram', 'dashboard.sld', 110, '/dashboard'),
    (112, 1, 'DASHBOARD', 'Faults', 'Faults', 'dashboard.faults', 120, '/dashboard'),
    (113, 1, 'DASHBOARD', 'Analog Log', 'AnalogLog', 'dashboard.analog-log', 130, '/dashboard'),
    (114, 1, 'DASHBOARD', 'Analog Realtime Data', 'AnalogRealtime', 'dashboard.analog-realtime', 140, '/dashboard'),
    (115, 1, 'DASHBOARD', 'Power Quality', 'PowerQuality', 'dashboard.power-quality', 150, '/dashboard'),
    (116, 1, 'DASHBOARD', 'Asset', 'AssetData', 'dashboard.asset', 160, '/dashboard'),
    (117, 1, 'DASHBOARD', 'Event Log', 'EventLog', 'dashboard.event-log', 170, '/dashboard'),
    (118, 1, 'DASHBOARD', 'Substation Health', 'SubstationHealth', 'dashboard.substation-health', 180, '/dashboard'),
    (201, 2, 'FAULT_DASHBOARD', 'Map of Alerts', 'AlertMap', 'faults.map', 10, '/faultdashboard'),
    (202, 2, 'FAULT_DASHBOARD', 'Details', 'AlertDetails', 'faults.details', 20, '/faultdashboard'),
    (203, 2, 'FAULT_DASHBOARD', 'Table of Faults', 'FaultTable', 'faults.table', 30, '/faultdashboard'),
    (301, 3, 'ENERGY_DASHBOARD', 'Map of Alerts', 'AlertMap', 'energy.map', 10, '/eedashboard'),
    (302, 3, 'ENERGY_DASHBOARD', 'Details', 'AlertDetails', 'energy.details', 20, '/eedashboard'),
    (303, 3, 'ENERGY_DASHBOARD', 'Table of Performance Trackers', 'TrackerTable', 'energy.table', 30, '/eedashboard'),
    (401, 4, 'ASSET_DASHBOARD', 'Map of Alerts', 'AlertMap', 'assets.map', 10, '/asset'),
    (402, 4, 'ASSET_DASHBOARD', 'Details', 'AlertDetails', 'assets.details', 20, '/asset'),
    (403, 4, 'ASSET_DASHBOARD', 'Table of Alerts', 'AlertTable', 'assets.table', 30, '/asset'),
    (501, 5, 'ENERGY_EFFICIENCY', 'Energy', 'Energy', 'ee.energy', 10, '/eereportsnew'),
    (502, 5, 'ENERGY_EFFICIENCY', 'Reliability', 'Reliability', 'ee.reliability', 20, '/eereportsnew'),
    (503, 5, 'ENERGY_EFFICIENCY', 'Demand', 'Demand', 'ee.demand', 30, '/eereportsnew'),
    (504, 5, 'ENERGY_EFFICIENCY', 'Forecast', 'Forecast', 'ee.forecast', 40, '/eereportsnew'),
    (505, 5, 'ENERGY_EFFICIENCY', 'Quality Check', 'QualityCheck', 'ee.quality-check', 50, '/eereportsnew'),
    (506, 5, 'ENERGY_EFFICIENCY', 'SLD', 'SingleLineDiagram', 'ee.sld', 60, '/sldnew'),
    (601, 6, 'FAULT', 'Fault Trends', 'FaultTrends', 'fault.trends', 10, '/fareportsnew'),
    (602, 6, 'FAULT', 'Feeder Curves', 'FeederCurves', 'fault.feeder-curves', 20, '/fareportsnew'),
    (701, 7, 'LOW CARBON', 'Site Analytics', 'SiteAnalytics', 'lc.site-analytics', 10, '/lowcarbon'),
    (702, 7, 'LOW CARBON', 'Energy Consumption', 'EnergyConsumption', 'lc.energy-consumption', 20, '/lowcarbon'),
    (703, 7, 'LOW CARBON', 'Power Flow', 'PowerFlow', 'lc.power-flow', 30, '/lowcarbon'),
    (801, 8, 'ASSET', 'Live Readings', 'LiveReadings', 'asset.live-readings', 10, '/assetreportsnew'),
    (802, 8, 'ASSET', 'Permissible Loading', 'PermissibleLoading', 'asset.permissible-loading', 20, '/assetreportsnew'),
    (803, 8, 'ASSET', 'Battery', 'Battery', 'asset.battery', 30, '/assetreportsnew'),
    (901, 9, 'REPORT_EXPORT', 'Report Export', 'ReportExport', 'reports.export', 10, '/exportreports'),
    (911, 10, 'HIERARCHY', 'Hierarchy', 'HierarchyTree', 'hierarchy.tree', 10, '/tree'),
    (921, 11, 'POWERBI', 'PowerBI Report', 'EmbeddedReport', 'powerbi.report', 10, '/powerbi'),
    (931, 12, 'ADMINISTRATION', 'Administration', 'Administration', 'admin.members', 10, '/administration'),
    (941, 13, 'ASSET_HEALTH', 'Cables', 'CableHealth', 'health.cables', 10, '/assethealth');

CREATE TABLE page_access (
    id          bigint  GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    client_id   bigint  REFERENCES client,
    role_id     integer NOT NULL CHECK (role_id BETWEEN 1 AND 8),
    page_id     integer NOT NULL REFERENCES page,
    is_readonly boolean NOT NULL,
    show_in_tab boolean NOT NULL DEFAULT true,
    UNIQUE NULLS NOT DISTINCT (client_id, role_id, page_id)
);
COMMENT ON TABLE page_access IS 'Pages of each role. If a utility has rows for a role, these replace the rows without a utility.';
COMMENT ON COLUMN page_access.id IS 'Generated number.';
COMMENT ON COLUMN page_access.client_id IS 'The utility; NULL for the default of all utilities.';
COMMENT ON COLUMN page_access.role_id IS 'Role, from 1 to 8.';
COMMENT ON COLUMN page_access.page_id IS 'The page.';
COMMENT ON COLUMN page_access.is_readonly IS 'Whether the role can only read the page.';
COMMENT ON COLUMN page_access.show_in_tab IS 'Whether the page is shown as a tab.';
COMMENT ON INDEX page_access_pkey IS 'Identity only.';
COMMENT ON INDEX page_access_client_id_role_id_page_id_key IS 'The pages of a role (access/is_own, access/pages).';
ALTER TABLE page_access ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON page_access USING (client_id = (SELECT bound_client()));
CREATE POLICY everybody ON page_access FOR SELECT USING (client_id IS NULL);
CREATE POLICY every ON page_access USING ((SELECT bound_to_every()));
GRANT SELECT ON page_access TO switchyard_tenant;

-- Defaults of all utilities. Roles 1 and 2 have all pages and can change everything. Roles 3 to 8 have all pages but the administration, read only, with three
-- exceptions: the diagrams, on which they operate (this also needs member.can_operate); the optimiser of low-carbon sites for roles 3 to 5; the export of
-- reports, which they save and schedule for themselves. Roles 7 and 8 have neither low-carbon sites nor the embedded report.
INSERT INTO page_access (role_id, page_id, is_readonly)
SELECT role_id, id, role_id > 2 AND tab_key NOT IN ('dashboard.sld', 'ee.sld', 'reports.export') AND (role_id > 5 OR app_name <> 'LOW CARBON')
FROM page
CROSS JOIN generate_series(1, 8) AS role_id
WHERE role_id <= 2
   OR (app_name <> 'ADMINISTRATION' AND (role_id <= 6 OR app_name NOT IN ('LOW CARBON', 'POWERBI')));

CREATE TABLE brand (
    host           text   PRIMARY KEY CHECK (host = lower(host) AND length(host) BETWEEN 1 AND 253),
    client_id      bigint REFERENCES client,
    logo           text   NOT NULL DEFAULT '',
    favi_icon      text   NOT NULL DEFAULT '/favicon.svg',
    favi_icon_text text   NOT NULL,
    footer_text    text   NOT NULL DEFAULT '',
    map_url        text   NOT NULL DEFAULT '',
    title          text   NOT NULL,
    login_variant  text   NOT NULL DEFAULT 'plain' CHECK (login_variant IN ('plain', 'grey')),
    servers        jsonb  NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(servers) = 'array')
);
COMMENT ON TABLE brand IS 'Appearance of the portal, by the host of the request.';
COMMENT ON COLUMN brand.host IS 'Host name in lower case, without a port.';
COMMENT ON COLUMN brand.client_id IS 'The utility; NULL if the host serves several.';
COMMENT ON COLUMN brand.logo IS 'Address of the logo; empty for none.';
COMMENT ON COLUMN brand.favi_icon IS 'Address of the icon of the browser tab.';
COMMENT ON COLUMN brand.favi_icon_text IS 'Text beside the icon.';
COMMENT ON COLUMN brand.footer_text IS 'Text of the footer.';
COMMENT ON COLUMN brand.map_url IS 'Address of the map tiles; empty for the built-in map.';
COMMENT ON COLUMN brand.title IS 'Title of the page.';
COMMENT ON COLUMN brand.login_variant IS 'Layout of the sign-in page: plain or grey.';
COMMENT ON COLUMN brand.servers IS 'Servers that a user can select, as a JSON array of keys and names.';
COMMENT ON INDEX brand_pkey IS 'The appearance of a host (brand/put).';
ALTER TABLE brand ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON brand USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON brand USING ((SELECT bound_to_every()));
