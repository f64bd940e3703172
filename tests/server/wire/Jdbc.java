import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;

/** What a Java tool does: metadata, a probe, a question that is prepared, one that is read in parts, a refusal. */
public class Jdbc {
    static final String COUNT = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY ward";

    public static void main(String[] given) throws Exception {
        try (Connection connection = DriverManager.getConnection(given[0], given[1], given[2])) {
            DatabaseMetaData facts = connection.getMetaData();
            try (ResultSet tables = facts.getTables(null, "public", "%", new String[] {"TABLE", "VIEW"})) {
                while (tables.next()) {
                    System.out.println("table " + tables.getString("TABLE_NAME") + " " + tables.getString("TABLE_TYPE"));
                }
            }
            try (ResultSet columns = facts.getColumns(null, "public", "visits", "%")) {
                while (columns.next()) {
                    String kind = columns.getString("TYPE_NAME") + " " + columns.getInt("DATA_TYPE");
                    System.out.println("column " + columns.getString("COLUMN_NAME") + " " + kind);
                }
            }
            drain(facts.getPrimaryKeys(null, "public", "visits"));
            drain(facts.getImportedKeys(null, "public", "visits"));
            drain(facts.getIndexInfo(null, "public", "visits", false, true));
            drain(facts.getTypeInfo());
            drain(facts.getSchemas());
            drain(facts.getFunctions(null, "public", "%"));
            try (Statement statement = connection.createStatement()) {
                try (ResultSet probe = statement.executeQuery("SELECT * FROM visits WHERE 1 = 0")) {
                    ResultSetMetaData shape = probe.getMetaData();
                    System.out.println("probe " + shape.getColumnName(1) + ":" + shape.getColumnTypeName(1));
                }
                try {
                    statement.executeQuery(COUNT);
                } catch (SQLException refused) {
                    System.out.println("refused " + refused.getSQLState());
                }
                statement.execute("SET discreet.epsilon = 0.05");
            }
            String question = "SELECT ward, COUNT(*) AS n FROM visits WHERE age > ? GROUP BY ward ORDER BY ward";
            try (PreparedStatement prepared = connection.prepareStatement(question)) {
                prepared.setInt(1, 30);
                try (ResultSet rows = prepared.executeQuery()) {
                    while (rows.next()) {
                        rows.getLong(2);
                        System.out.println("row " + rows.getString(1));
                    }
                }
            }
            connection.setAutoCommit(false);
            try (PreparedStatement parts = connection.prepareStatement(COUNT)) {
                parts.setFetchSize(1);
                try (ResultSet rows = parts.executeQuery()) {
                    while (rows.next()) {
                        System.out.println("part " + rows.getString(1));
                    }
                }
            }
            connection.commit();
        }
    }

    static void drain(ResultSet rows) throws SQLException {
        while (rows.next()) {
            rows.getString(1);
        }
        rows.close();
    }
}
