import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Asks for all metadata that Java tools ask for. */
public class Metadata {
    public static void main(String[] given) throws Exception {
        try (Connection connection = DriverManager.getConnection(given[0], given[1], given[2])) {
            DatabaseMetaData facts = connection.getMetaData();
            drain(facts.getCatalogs());
            drain(facts.getSchemas());
            drain(facts.getSchemas(null, "pub%"));
            drain(facts.getTableTypes());
            drain(facts.getTables(null, null, "%", null));
            drain(facts.getTables(null, "public", "%", new String[] {"TABLE", "VIEW"}));
            drain(facts.getColumns(null, "public", "visits", null));
            drain(facts.getColumns(null, "public", "%", "%"));
            drain(facts.getPrimaryKeys(null, "public", "visits"));
            drain(facts.getImportedKeys(null, "public", "visits"));
            drain(facts.getExportedKeys(null, "public", "visits"));
            drain(facts.getCrossReference(null, "public", "visits", null, "public", "patients"));
            drain(facts.getIndexInfo(null, "public", "visits", false, true));
            drain(facts.getTypeInfo());
            drain(facts.getTablePrivileges(null, "public", "visits"));
            drain(facts.getColumnPrivileges(null, "public", "visits", "%"));
            drain(facts.getProcedures(null, "public", "%"));
            drain(facts.getFunctions(null, "public", "%"));
            drain(facts.getUDTs(null, null, "%", null));
            drain(facts.getBestRowIdentifier(null, "public", "visits", DatabaseMetaData.bestRowSession, true));
            drain(facts.getVersionColumns(null, "public", "visits"));
            drain(facts.getProcedureColumns(null, "public", "%", "%"));
            facts.getSQLKeywords();
            facts.getMaxColumnNameLength();
            connection.getSchema();
            connection.getCatalog();
        }
    }

    static void drain(ResultSet rows) throws SQLException {
        while (rows.next()) {
            rows.getString(1);
        }
        rows.close();
    }
}
